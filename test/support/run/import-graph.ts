import { globSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** For each file, the files that it needs and how closely: 1 for an import, more for a name in a text or a pattern. */
export type ImportGraph = ReadonlyMap<string, ReadonlyMap<string, number>>;

const SOURCES = "{bin,cli,core,integrations,migrations,mixins,operator,services,test}/**/*.{ts,mjs}";
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"']+)["']/g;
const NAME = /["'`]((?:\.{0,2}\/)?[\w@{},*-][\w@{},*./ -]*\.(?:ts|mjs|json|md|yaml|liquid|csv|sql))["'`]/g;
const CLOSE = 1;
/** A file that another names in a text, for instance to read it or to start it as a process. */
const NAMED = 4;
/** A pattern that loads many files, each of which matters little to the file that has the pattern. */
const MATCHED = 8;

/** Reads what each source file needs: imports, files named in texts, and patterns of files. @param root folder of the repository */
export function readImportGraph(root: string): ImportGraph {
  const sources = [...globSync(SOURCES, { cwd: root }), "main.ts", "moleculer.config.ts"];
  const isFile = (file: string) => statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile() ?? false;
  const matched = new Map<string, string[]>();
  const filesOf = (pattern: string): string[] => {
    let files = matched.get(pattern);
    if (!files) matched.set(pattern, (files = globSync(pattern, { cwd: root }).filter(isFile)));
    return files;
  };
  const graph = new Map<string, Map<string, number>>();
  for (const file of sources) {
    const needed = new Map<string, number>();
    const need = (other: string, distance: number) => {
      if (other !== file) needed.set(other, Math.min(distance, needed.get(other) ?? Number.POSITIVE_INFINITY));
    };
    const text = readFileSync(path.join(root, file), "utf8");
    for (const other of importsIn(file, text)) need(other, CLOSE);
    for (const [, named = ""] of text.matchAll(NAME)) {
      if (/[*{]/.test(named)) {
        if (!file.startsWith("test/")) for (const other of filesOf(named)) need(other, MATCHED);
        continue;
      }
      for (const other of [path.normalize(named), path.join(path.dirname(file), named)]) if (isFile(other)) need(other, NAMED);
    }
    graph.set(file, needed);
  }
  return graph;
}

const importsIn = (file: string, text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, named = ""]) => path.join(path.dirname(file), named));

/** The text of these files and of all that they import, directly or not, by path. @param root folder of the repository */
export function importedTexts(root: string, files: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  const wanted = new Set(files);
  for (const file of wanted) {
    const text = readFileSync(path.join(root, file), "utf8");
    texts.set(file, text);
    for (const other of importsIn(file, text)) wanted.add(other);
  }
  return texts;
}

/** How far each file is from the nearest changed one that it needs, directly or not. Files that need none are missing. */
export function distancesFrom(changed: readonly string[], graph: ImportGraph): Map<string, number> {
  const users = new Map<string, [string, number][]>();
  for (const [file, needed] of graph)
    for (const [other, distance] of needed) {
      const its = users.get(other) ?? [];
      its.push([file, distance]);
      users.set(other, its);
    }
  const found = new Map(changed.map((file) => [file, 0]));
  // Distances are small whole numbers: files by distance, the nearest first.
  const byDistance = [[...changed]];
  for (let distance = 0; distance < byDistance.length; distance++)
    for (const file of byDistance[distance] ?? []) {
      if ((found.get(file) ?? 0) < distance) continue;
      for (const [user, further] of users.get(file) ?? []) {
        const reached = distance + further;
        if (reached >= (found.get(user) ?? Number.POSITIVE_INFINITY)) continue;
        found.set(user, reached);
        for (let empty = byDistance.length; empty <= reached; empty++) byDistance.push([]);
        byDistance[reached]?.push(user);
      }
    }
  return found;
}
