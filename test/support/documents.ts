import { bodyOf } from "../../bin/new/chapters.ts";

/** The shell that types the lines of documents; `DOCS_SHELL=zsh` before a release, as on a reader's macOS. */
export const SHELL = process.env["DOCS_SHELL"] ?? "bash";

/** A chapter's code blocks in a language. */
export function blocksOf(chapter: string, language: string): string[] {
  const blocks = bodyOf(chapter).matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, "gm"));
  return [...blocks].map(([, code = ""]) => code.replace(/^ {3}/gm, ""));
}

/** A chapter's shell blocks, as the reader types them. */
export const linesOf = (chapter: string): string[] => blocksOf(chapter, "sh");
