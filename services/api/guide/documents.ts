import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/** Address of the guide's first page; each document is below it, by its path without `docs/` and `.md`. */
export const GUIDE = "/api/guide";
/** Address of the guide's style sheet, script, pictures and search. */
export const ASSETS = `${GUIDE}/assets`;

const ROOT = path.join(import.meta.dirname, "../../..");
export const INDEX = "docs/README.md";
/** Documents outside of `docs`, with the last part of their addresses: `docs/security.md` has its name already. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["README.md", "readme"],
  ["CHANGELOG.md", "changelog"],
  ["CONTRIBUTING.md", "contributing"],
  ["SECURITY.md", "security-policy"],
  ["CODE_OF_CONDUCT.md", "code_of_conduct"],
]);
/** Folder of the pictures in the documents. */
const PICTURES = "docs/images";

/** The text of a document, by its path in the repository. */
export const textOf = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** Every document, by its path in the repository. */
export const documents = (): string[] => [...OTHERS.keys(), ...globSync("docs/**/*.md", { cwd: ROOT }).sort()];

export const isDocument = (file: string): boolean => OTHERS.has(file) || (file.startsWith("docs/") && file.endsWith(".md"));

/** Address of a document: `docs/rules/money.md` is at `/api/guide/rules/money`. */
export const addressOf = (file: string): string =>
  file === INDEX ? GUIDE : `${GUIDE}/${OTHERS.get(file) ?? file.slice("docs/".length, -".md".length)}`;

export const pictureAddress = (file: string): string => `${ASSETS}/${path.basename(file)}`;

/** The files of the pictures in the documents, by address. */
export const guidePictures = (): [address: string, file: string][] =>
  globSync(`${PICTURES}/*.png`, { cwd: ROOT }).map((file) => [pictureAddress(file), path.join(ROOT, file)]);

/** The document that a link of another one leads to; null for any other file and for addresses outside. */
export function linkedDocument(from: string, href: string): { file: string; anchor: string | undefined } | null {
  if (/^([a-z]+:|#|\/)/.test(href)) return null;
  const [target = "", anchor] = href.split("#");
  const file = path.posix.join(path.posix.dirname(from), target);
  return isDocument(file) ? { file, anchor } : null;
}
