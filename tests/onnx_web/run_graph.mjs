// Runs an ONNX file on requests that come as JSON lines, in WASM and one thread, as the page does.
// A request: {picture: path of the raw RGB bytes, height, width, landmarks: 42 numbers, right}.
// An answer: every output by name, as plain numbers.
import { readFileSync } from "node:fs";
import * as ort from "onnxruntime-web/wasm";

const [model, requests] = process.argv.slice(2);
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";
const session = await ort.InferenceSession.create(readFileSync(model), {
  executionProviders: ["wasm"],
});

for (const line of readFileSync(requests, "utf8").trim().split("\n")) {
  const { picture, height, width, landmarks, right } = JSON.parse(line);
  const outputs = await session.run({
    picture: new ort.Tensor("uint8", new Uint8Array(readFileSync(picture)), [height, width, 3]),
    landmarks: new ort.Tensor("float32", Float32Array.from(landmarks), [21, 2]),
    right: new ort.Tensor("bool", [right], []),
  });
  const answer = Object.entries(outputs).map(([name, tensor]) => [name, Array.from(tensor.data)]);
  console.log(JSON.stringify(Object.fromEntries(answer)));
}
