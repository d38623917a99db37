import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");
/** The page lists a helper once this many files of other folders import it. */
const IMPORTERS = 12;

const IMPORT = /^import (type )?\{([^}]*)\} from "(\.[^"]+)";/gm;
/** An exported function, class or callable constant, with the docstring directly above it. The formatter keeps every file in this form. */
const EXPORT =
  /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:(?:async )?function|(?:abstract )?class|const) (\w+)(?:\(|<| |: | = )/gm;

/** Counts the files outside its folder that import each export of `core` and `mixins`, by `file name`. */
function importersOf(files: readonly string[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const file of files)
    for (const [, isType, names, from] of readFileSync(path.join(ROOT, file), "utf8").matchAll(IMPORT)) {
      const target = path.join(path.dirname(file), from as string);
      if (isType || !/^(core|mixins)\//.test(target) || path.dirname(target) === path.dirname(file)) continue;
      for (const name of (names as string).split(",").map((one) => one.trim().replace(/ as .*/, "")))
        if (/^\w+$/.test(name)) counted.set(`${target} ${name}`, (counted.get(`${target} ${name}`) ?? 0) + 1);
    }
  return counted;
}

/** The first sentence of each docstring of a file, by the name it documents; empty if it has none. */
function documentedIn(file: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, doc = "", name] of readFileSync(path.join(ROOT, file), "utf8").matchAll(EXPORT)) {
    const text = doc
      .replaceAll(/\n\s*\*/g, " ")
      .replaceAll(/\s+/g, " ")
      .replace(/ @\w.*/, "")
      .trim();
    // For overloads, the first docstring counts.
    found.set(name as string, found.get(name as string) || (text.match(/^.*?\.(?= [A-Z]|$)/)?.[0] ?? text));
  }
  return found;
}

/** Renders `docs/helpers.md`: the functions and classes of `core` and `mixins` that most code imports. */
export function helpersPage(): string {
  const files = globSync("{core,mixins,services,integrations,operator,cli}/**/*.ts", { cwd: ROOT });
  const rows = [...importersOf(files)]
    .filter(([, importers]) => importers >= IMPORTERS)
    .map(([key]) => key.split(" ") as [file: string, name: string])
    .toSorted(([file, name], [other, second]) => (file === other ? (name < second ? -1 : 1) : file < other ? -1 : 1))
    .flatMap(([file, name]) => {
      const about = documentedIn(file).get(name);
      return about === undefined ? [] : [{ folder: path.dirname(file), file, name, about }];
    });
  const sections = [...Map.groupBy(rows, ({ folder }) => folder)].map(
    ([folder, helpers]) =>
      `## ${folder}\n\n| | | in |\n|---|---|---|\n${helpers
        .map(
          ({ name, file, about }) => `| \`${name}\` | ${about.replaceAll("|", "\\|")} | [${path.basename(file)}](../${file}) |`,
        )
        .join("\n")}\n`,
  );
  return `# Helpers

What most of the code stands on: the functions, classes and constants of \`core\` and \`mixins\` that at least ${IMPORTERS} files of other folders import. A test makes this page from the first sentence of each docstring and fails where it differs; \`HELPERS_WRITE=1 npm test -- test/unit/docs/helpers.test.ts\` writes it.

${sections.join("\n")}`;
}
