// The AI SDK over both interfaces, with a function of the program.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { readFileSync } from "node:fs";

process.chdir(import.meta.dirname);
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
const citeseek = createOpenAI({ baseURL: `${process.env.CITESEEK}/v1`, apiKey: process.env.TOKEN });

async function asked(model) {
  const whole = await generateText({ model, prompt: "tea" });
  const stream = streamText({ model, prompt: "tea" });
  let streamed = "";
  for await (const piece of stream.textStream) streamed += piece;
  const sources = (await stream.sources).map((source) => source.url);
  return { text: whole.text, streamed, sources, total: whole.usage.totalTokens };
}

const weather = tool({
  description: "The weather in a city.",
  inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
  execute: async ({ city }) => `Sunny in ${city}.`,
});

async function called(model) {
  const { text, steps } = await generateText({
    model, prompt: "weather?", tools: { weather }, stopWhen: stepCountIs(3),
  });
  return { text, calls: steps.flatMap((step) => step.toolCalls.map((call) => call.toolName)) };
}

console.log(JSON.stringify({
  versions: { ai: version("ai"), "@ai-sdk/openai": version("@ai-sdk/openai") },
  chat: await asked(citeseek.chat("citeseek-chat")),
  responses: await asked(citeseek.responses("citeseek-chat")),
  called: await called(citeseek.chat("citeseek-agent")),
  called_in_responses: await called(citeseek.responses("citeseek-agent")),
}));
