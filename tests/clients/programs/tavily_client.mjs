// The same in JavaScript.
import { tavily } from "@tavily/core";
import { readFileSync } from "node:fs";

process.chdir(import.meta.dirname);
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
const client = tavily({ apiKey: process.env.TOKEN, apiBaseURL: process.env.CITESEEK });
const found = await client.search("tea", { maxResults: 2 });
const extracted = await client.extract([process.env.PAGE]);
console.log(JSON.stringify({
  versions: { "@tavily/core": version("@tavily/core") },
  found: found.results, extracted: extracted.results,
}));
