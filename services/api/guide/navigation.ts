import path from "node:path";
import { documents, INDEX, linkedDocument, textOf } from "./documents.ts";

/** A page in the sidebar, with the pages of its folder where it is their index. */
export interface Entry {
  file: string;
  name: string;
  /** Heading that it shares with its neighbours, such as "Operating"; empty for most. */
  label: string;
  children: Entry[];
}

export interface Group {
  name: string;
  entries: Entry[];
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;
const capitalised = (text: string): string => text.replaceAll("`", "").replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** The links of a document's tables to other documents; of those to one document the first without an anchor. */
function linksOf(file: string, text: string): Entry[] {
  return text.split("\n").flatMap((row) => {
    const [, cell = ""] = /^\| (.*?) \|/.exec(row) ?? [];
    const [, label = ""] = /^([A-Z][\w ]*): \[/.exec(cell) ?? [];
    return [...cell.matchAll(LINK)].flatMap(([, name = "", href = ""]) => {
      const linked = linkedDocument(file, href);
      return linked && linked.anchor === undefined ? [{ file: linked.file, name: capitalised(name), label, children: [] }] : [];
    });
  });
}

/** The pages below an index of a folder, in the order of its links. */
const childrenOf = (file: string): Entry[] => {
  const folder = path.posix.dirname(file);
  const isIndex = path.posix.basename(file) === "README.md" && folder !== "." && folder !== "docs";
  return isIndex ? linksOf(file, textOf(file)).filter((entry) => path.posix.dirname(entry.file) === folder) : [];
};

/** The groups of the sidebar: the chapters of the index, each with the pages that its tables link. */
export function groups(): Group[] {
  const chapters = textOf(INDEX).split(/^## /m).slice(1);
  return chapters.map((chapter) => ({
    name: (chapter.split("\n")[0] ?? "").trim(),
    entries: linksOf(INDEX, chapter).map((entry) => ({ ...entry, children: childrenOf(entry.file) })),
  }));
}

/** Every page in the order of reading: that of the sidebar, then those that it does not list. */
export function inOrder(sidebar: readonly Group[]): string[] {
  const listed = sidebar.flatMap(({ entries }) =>
    entries.flatMap(({ file, children }) => [file, ...children.map((child) => child.file)]),
  );
  return [...new Set([INDEX, ...listed, ...documents()])];
}
