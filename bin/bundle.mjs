// Makes the bundle: the sources that every start loads in one file, for `npm start`, `npm run node` and the image (docs/decisions/bundle.md).
// What a start does not load stays in its own file, and so do the packages.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { BUNDLE, DESCRIPTION, digestOf, LINES } from "./bundle-digest.mjs";

const ROOT = path.dirname(import.meta.dirname);
/** What a start loads: its entry, and the files that it finds by their names. */
const ROOTS = [
  "cli/start.ts",
  "core/jobs/queue/postgres.ts",
  "integrations/marketing/sources/*.source.ts",
  "{integrations,operator,services}/**/*.service.ts",
  "{integrations,operator,services}/*/module.ts",
  "{integrations,services}/**/*.{due,list}.ts",
];
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^"';]*?\sfrom\s)?"(\.[^"]+)"/gm;
/** An exported variable is read where it is, so that every module sees the same one: such a file stays outside. */
const EXPORTED_VARIABLE = /^export let /m;
/** What waits while it loads cannot be loaded by `require`: it stays outside, too. */
const WAITING = /^(?!.*\basync\b)(?:export|const|let|await)\b.*\bawait /m;
const WAITING_IN_BUNDLE = /^ {2}async "([^"]+)"\(\)/m;

/** @typedef {{ text: string, imports: string[] }} Source */

/** The sources that the roots import, directly or not, by path. @returns {Map<string, Source>} */
function sourcesOf(root) {
  const sources = new Map();
  const wanted = new Set(globSync(ROOTS, { cwd: root }).sort());
  for (const file of wanted) {
    const text = readFileSync(path.join(root, file), "utf8");
    const imports = [...text.matchAll(IMPORT)].map(([, name]) => path.join(path.dirname(file), name));
    sources.set(file, { text, imports });
    for (const other of imports) wanted.add(other);
  }
  const imported = new Set([...sources.values()].flatMap(({ imports }) => imports));
  for (const [file, { text, imports }] of [...sources]) {
    if (EXPORTED_VARIABLE.test(text) && imports.length > 0)
      throw new Error(`${file} exports a variable and has imports: put the variable into a file of its own.`);
    if (WAITING.test(text) && imported.has(file)) throw new Error(`${file} waits while it loads, and other files import it.`);
    if (EXPORTED_VARIABLE.test(text) || WAITING.test(text)) sources.delete(file);
  }
  return sources;
}

/** The entry: a function for each source that loads it once, and gives what it exports. */
const entryOf = (sources) => {
  const lines = [...sources.keys()].map((file) => `  ${JSON.stringify(file)}: () => require("./${file}"),`);
  return `export const modules = {\n${lines.join("\n")}\n};\n`;
};

/** Sources keep their place: what they find next to themselves is still there. */
const PRELUDE = [
  'import { createRequire as createRequireOfBundle } from "node:module";',
  'import { fileURLToPath as pathOfBundle } from "node:url";',
  "const require = createRequireOfBundle(import.meta.url);",
  'const urlOfSource = (file) => new URL("../" + file, import.meta.url).href;',
  "const folderOfSource = (folder) => pathOfBundle(urlOfSource(folder));",
].join("\n");

const inPlace = (file, text) =>
  text
    .replaceAll("import.meta.dirname", `folderOfSource(${JSON.stringify(path.dirname(file))})`)
    .replaceAll("import.meta.url", `urlOfSource(${JSON.stringify(file)})`);

/** Reads the sources, and leaves what is not among them in its own file. */
const reading = (root, sources) => ({
  name: "sources",
  setup(builder) {
    builder.onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir }) => {
      const file = path.relative(root, path.join(resolveDir, name));
      return sources.has(file) ? { path: path.join(root, file) } : { path: `../${file}`, external: true };
    });
    builder.onResolve({ filter: /^[^.]/ }, ({ path: name, kind }) =>
      kind === "entry-point" ? null : { path: name, external: true },
    );
    builder.onLoad({ filter: /\.ts$/ }, ({ path: name }) => {
      const file = path.relative(root, name);
      return { contents: inPlace(file, sources.get(file).text), loader: "ts", resolveDir: path.dirname(name) };
    });
  },
});

/**
 * Where each line of the bundle comes from. Node's own support of source maps would read the map at every start: a second and 110 MB.
 * @param {string} text the bundle
 * @param {readonly string[]} files its sources
 */
function linesOf(root, text, files) {
  const map = new SourceMap(JSON.parse(readFileSync(path.join(root, `${BUNDLE}.map`), "utf8")));
  const places = new Map(files.map((file, at) => [`../${file}`, at + 1]));
  const numbers = text.split("\n").flatMap((line, at) => {
    const { originalSource, originalLine } = map.findEntry(at, line.search(/\S|$/));
    const place = places.get(originalSource);
    return place === undefined ? [0, 0] : [place, originalLine + 1];
  });
  return new Uint8Array(Uint32Array.from(numbers).buffer);
}

/**
 * Writes the bundle, its source map and its description.
 * @param {string} root the folder of the service
 * @returns {Promise<{ files: number, bytes: number }>} the sources in it, and its size
 */
export async function bundle(root) {
  const sources = sourcesOf(root);
  // Without its description a half-written bundle is none.
  rmSync(path.join(root, DESCRIPTION), { force: true });
  mkdirSync(path.dirname(path.join(root, BUNDLE)), { recursive: true });
  await build({
    stdin: { contents: entryOf(sources), resolveDir: root, sourcefile: "bundle.js" },
    outfile: path.join(root, BUNDLE),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    banner: { js: PRELUDE },
    keepNames: true,
    sourcemap: true,
    // For debuggers. The sources are next to it.
    sourcesContent: false,
    // Node strips types without a look at tsconfig.json, and so does the bundle.
    tsconfigRaw: { compilerOptions: { target: "esnext", verbatimModuleSyntax: true } },
    logLevel: "warning",
    plugins: [reading(root, sources)],
  });
  const text = readFileSync(path.join(root, BUNDLE), "utf8");
  const [, late] = WAITING_IN_BUNDLE.exec(text) ?? [];
  if (late !== undefined) throw new Error(`${late} waits while it loads, in a form that bin/bundle.mjs does not know.`);
  const files = [...sources.keys()];
  writeFileSync(path.join(root, LINES), linesOf(root, text, files));
  const description = { digest: digestOf(root, files), files };
  writeFileSync(path.join(root, DESCRIPTION), JSON.stringify(description));
  return { files: files.length, bytes: Buffer.byteLength(text) };
}

if (process.argv[1] === import.meta.filename) {
  const { files, bytes } = await bundle(ROOT);
  process.stdout.write(`${BUNDLE} has ${files} sources, ${(bytes / 1e6).toFixed(1)} MB.\n`);
}
