// The same in JavaScript.
import { Firecrawl } from "firecrawl";
import { readFileSync } from "node:fs";

process.chdir(import.meta.dirname);
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
const base = { apiKey: process.env.TOKEN, apiUrl: process.env.CITESEEK };
const client = new Firecrawl(base);
const found = await client.search("tea", { limit: 2 });
const scraped = await client.scrape(process.env.PAGE, { formats: ["markdown"] });
const old = await client.v1.search("tea", { limit: 2 });
const oldScraped = await client.v1.scrapeUrl(process.env.PAGE, { formats: ["markdown"] });
console.log(JSON.stringify({
  versions: { firecrawl: version("firecrawl") },
  found: found.web.map((each) => each.url), markdown: scraped.markdown,
  old: old.data.map((each) => each.url), oldMarkdown: oldScraped.markdown,
}));
