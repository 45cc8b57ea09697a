/**
 * Builds the page: bundles modules, names files after their digest, compresses with brotli. Reads
 * generated/ (from mobile_api.page_build) and writes the given folder.
 */

import { createHash } from "node:crypto";
import {
  existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

import { build, transform } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2];
const networks = JSON.parse(readFileSync(join(here, "generated/networks.json")));
const ORT = "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm";

const written = new Set();
const compressing = [];
const compressed = promisify(brotliCompress);

const digestOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);

/** Write a file; compress a copy meanwhile. Not if they exist: names contain the digest. */
function put(name, bytes) {
  written.add(name).add(`${name}.br`);
  if (!existsSync(join(out, name))) writeFileSync(join(out, name), bytes);
  if (!existsSync(join(out, `${name}.br`))) compressing.push(compress(name, bytes));
  return name;
}

/** Quality 11 takes twice as long as 10, and the networks become larger. */
async function compress(name, bytes) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 10,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(join(out, `${name}.br`), await compressed(bytes, { params }));
}

/** Write a file under a name with its digest. */
function putHashed(name, bytes) {
  const dot = name.lastIndexOf(".");
  return put(`${name.slice(0, dot)}-${digestOf(bytes)}${name.slice(dot)}`, bytes);
}

/** Write a file without a digest in its name; replace the old one. */
function putFresh(name, bytes) {
  rmSync(join(out, name), { force: true });
  rmSync(join(out, `${name}.br`), { force: true });
  return put(name, bytes);
}

/**
 * Leaves out the sentences of onnxruntime's errors, which are for its developers, and lets it ask
 * for 256 MB at most, not 4 GB, which Safari of iOS 16 and 17 refuses; 64 MB are too few.
 */
const fitted = {
  name: "fitted",
  setup({ onLoad }) {
    onLoad({ filter: /onnxruntime-web.*\.m?js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8").replace("maximum:65536,shared", "maximum:4096,shared");
      if (!text.includes("maximum:4096,")) throw new Error(`other memory in ${path}`);
      return { contents: text.replace(/Error\((["'`])(?:(?!\1)[^\\]|\\.)*\1\)/g, "Error()") };
    });
  },
};

async function bundled(entry, { define = {}, splitting = false, drop = [], plugins = [] } = {}) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: out,
    write: false,
    splitting,
    define,
    drop,
    plugins,
  });
  return outputFiles.map(({ path, contents }) => [path.slice(out.length + 1), contents]);
}

const read = (name) => readFileSync(join(here, name));

mkdirSync(out, { recursive: true });

// Without onnxruntime's log messages, which are for its developers.
const [[worker]] = (await bundled("capture/worker.js", { drop: ["console"], plugins: [fitted] }))
  .map(([name, bytes]) => [put(name, bytes)]);
const modules = (await bundled("main.js", { splitting: true })).map(([name, bytes]) =>
  put(name, bytes));
const main = modules.find((name) => name.startsWith("main-"));
const { code: css } = await transform(`${read("tokens.css")}${read("style.css")}`, { loader: "css", minify: true });
const style = putHashed("style.css", Buffer.from(css));
const icons = ["icon.svg", "icon.png"].map((name) => [name, putHashed(name, read(name))]);
const withIcons = (text) => icons.reduce((now, [name, put]) => now.replaceAll(name, put), text);
const manifest = putHashed("app.webmanifest", withIcons(read("app.webmanifest").toString()));
const wasm = putHashed("ort.wasm", read(ORT));
const planes = Object.entries(networks.files).map(([name, { sha256 }]) =>
  [name, sha256, putHashed(`${name}.bin`, read(`generated/${name}.planes`))]);

const kept = [...written].filter((name) => !name.endsWith(".br"));
const define = {
  __FILES__: JSON.stringify(kept),
  __VERSION__: JSON.stringify(digestOf(kept.sort().join())),
};
const [[, keeper]] = await bundled("sw.js", { define });
putFresh("sw.js", keeper);

await Promise.all(compressing);
const size = (name) => statSync(join(out, `${name}.br`)).size;
const sized = (name) =>
  ({ url: `m/${name}`, size: statSync(join(out, name)).size, packed: size(name) });
const files = {
  wasm: sized(wasm),
  extractor: networks.extractor,
  networks: Object.fromEntries(planes.map(([name, sha256, file]) =>
    [name, { ...sized(file), sha256 }])),
};
const root = JSON.stringify(files).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const page = withIcons(read("index.html").toString())
  .replace('<html lang="en" dir="ltr"',
    `<html lang="en" dir="ltr" data-worker="m/${worker}" data-keeper="m/sw.js" data-files="${root}"`)
  .replace("m/app.webmanifest", `m/${manifest}`)
  .replace('<link rel="stylesheet" href="m/tokens.css">\n', "")
  .replace("m/style.css", `m/${style}`)
  .replace("m/main.js", `m/${main}`);
// Last, because the service takes it for the whole page.
putFresh("index.html", page);
await Promise.all(compressing);

for (const name of readdirSync(out)) if (!written.has(name)) rmSync(join(out, name));

const sizes = Object.fromEntries([...kept, "index.html", "sw.js"].map((name) => [name, size(name)]));
const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
console.log(JSON.stringify({ total, sizes }, null, 1));
