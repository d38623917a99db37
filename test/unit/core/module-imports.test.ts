import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const IMPORT = /\b(?:from|import|require)\s*\(?\s*"(\.{1,2}\/[^"]*)"/g;

/** The imports of these files that name another file of the repository, each as the importing file and its target. */
const importsOf = (pattern: string): [file: string, target: string][] =>
  globSync(pattern, { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), "utf8").matchAll(IMPORT)].map(([, from]): [string, string] => [
      file,
      path.join(path.dirname(file), from as string),
    ]),
  );

/** The module of a file, such as `services/money`; of any other file its top folder. */
const moduleOf = (file: string): string => /^(?:(?:services|integrations)\/)?[^/]+/.exec(file)?.[0] ?? "";

/** Formats the imports from another module or top folder outside `shared`. */
const leaving = (imports: [file: string, target: string][], shared: readonly string[]): string[] =>
  imports
    .filter(([file, target]) => moduleOf(file) !== moduleOf(target) && !shared.includes(moduleOf(target)))
    .map(([file, target]) => `${file} imports ${target}`);

const modules = importsOf("{services,integrations}/**/*.ts");

/**
 * The imports between two folders of one parent, however deep the files stand in them. A file that stands above the other takes no part, and a
 * manifest may import every part of its module.
 */
function betweenSiblings(imports: [file: string, target: string][]): [string, string][] {
  return imports.flatMap(([file, target]): [string, string][] => {
    if (/\/(module|manifest)\.ts$/.test(file)) return [];
    const [from, to] = [file, target].map((one) => path.dirname(one).split("/")) as [string[], string[]];
    const parted = from.findIndex((folder, at) => folder !== to[at]);
    if (parted < 1 || parted >= to.length) return [];
    return [[from.slice(0, parted + 1).join("/"), to.slice(0, parted + 1).join("/")]];
  });
}

/** Groups of files, or of folders, that import each other in a circle, imports of types included (Tarjan's strongly connected components). */
function circlesOf(imports: [file: string, target: string][]): string[][] {
  const targets = Map.groupBy(imports, ([file]) => file);
  const [order, lowest] = [new Map<string, number>(), new Map<string, number>()];
  const [open, found]: [string[], string[][]] = [[], []];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    open.push(file);
    for (const [, target] of targets.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file) as number, lowest.get(target) as number));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** The imports between folders of core, one for each import of a file. */
const betweenFolders = (): [string, string][] =>
  importsOf("core/**/*.ts").flatMap(([file, target]): [string, string][] => {
    const [from, to] = [file, target].map((one) => one.split("/", 2).join("/")) as [string, string];
    return from === to ? [] : [[from, to]];
  });

describe("a folder of core", () => {
  it("is in no circle of imports with others, not even of types", () => {
    const edges = betweenFolders();
    expect(edges.length).to.be.greaterThan(300);
    expect(circlesOf(edges)).to.deep.equal([]);
  });
});

describe("a file of the product", () => {
  it("is in no circle of imports, not even of types", () => {
    expect(
      circlesOf([
        ["a", "b"],
        ["b", "c"],
        ["c", "b"],
        ["c", "d"],
      ]),
    ).to.deep.equal([["b", "c"]]);
    expect(circlesOf(importsOf("{core,mixins,services,integrations,operator,cli,migrations}/**/*.ts"))).to.deep.equal([]);
  });
});

describe("a module", () => {
  it("imports nothing except core, mixins and its own files", () => {
    expect(leaving(modules, ["core", "mixins"])).to.deep.equal([]);
    expect(modules.length).to.be.greaterThan(5000);
  });

  it("has folders that import each other in one direction only, however deep", () => {
    expect(
      betweenSiblings([
        ["services/a/b/c/d.ts", "services/a/e/f.ts"],
        ["services/a/b/c/d.ts", "services/a/b/e.ts"],
        ["services/a/b/d.ts", "services/a/b/c/e.ts"],
        ["services/a/module.ts", "services/a/b/d.ts"],
      ]),
    ).to.deep.equal([["services/a/b", "services/a/e"]]);
    const edges = betweenSiblings(modules);
    expect(edges.length).to.be.greaterThan(1000);
    expect(circlesOf(edges)).to.deep.equal([]);
  });

  it("is every folder of services and integrations: a library of several modules is in core or mixins", () => {
    const folders = globSync("{services,integrations}/*/", { cwd: ROOT });
    expect(folders.filter((folder) => !existsSync(path.join(ROOT, folder, "module.ts")))).to.deep.equal([]);
    expect(folders.length).to.be.greaterThan(20);
  });
});

describe("a mixin", () => {
  it("imports no module", () => {
    expect(leaving(importsOf("mixins/**/*.ts"), ["core"])).to.deep.equal([]);
  });
});
