// Calls functions of the page's modules: {module, name, given} lines in, {result} lines out.
// Arrays of bytes and floats travel as {kind, base64}.

import { createInterface } from "node:readline";

const KINDS = { Uint8Array, Float32Array, Float64Array, Int32Array };

const revive = (_, value) => {
  if (!value?.base64) return value;
  const bytes = Uint8Array.from(Buffer.from(value.base64, "base64"));
  return new KINDS[value.kind](bytes.buffer);
};

const pack = (_, value) => {
  if (!ArrayBuffer.isView(value)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { kind: value.constructor.name, base64: bytes.toString("base64") };
};

for await (const line of createInterface({ input: process.stdin })) {
  const { module, name, given } = JSON.parse(line, revive);
  const called = (await import(module))[name];
  const result = typeof called === "function" ? await called(...given) : called;
  console.log(JSON.stringify({ result: result ?? null }, pack));
}
