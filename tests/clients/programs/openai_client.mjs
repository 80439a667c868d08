// The same client in JavaScript.
import OpenAI from "openai";
import { readFileSync } from "node:fs";

const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
process.chdir(import.meta.dirname);
const ai = new OpenAI({ baseURL: `${process.env.CITESEEK}/v1`, apiKey: process.env.TOKEN });
const messages = [{ role: "user", content: "tea" }];
const chat = await ai.chat.completions.create({ model: "citeseek-chat", messages });
let pieces = "";
const stream = await ai.chat.completions.create({
  model: "citeseek-chat", messages, stream: true, stream_options: { include_usage: true },
});
let usage = 0;
for await (const piece of stream) {
  pieces += piece.choices[0]?.delta.content ?? "";
  usage = piece.usage?.total_tokens ?? usage;
}
const response = await ai.responses.create({ model: "citeseek-chat", input: "tea" });
const kinds = [];
let streamed = "";
for await (const event of await ai.responses.create({ model: "citeseek-chat", input: "tea", stream: true })) {
  kinds.push(event.type);
  if (event.type === "response.completed") streamed = event.response.output.at(-1).content[0].text;
}
const gone = await ai.responses.retrieve("resp_0").catch((error) => error.status);
console.log(JSON.stringify({
  versions: { openai: version("openai") },
  chat: chat.choices[0].message.content, pieces, usage,
  response: response.output_text, streamed, kinds, gone,
}));
