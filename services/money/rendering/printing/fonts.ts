import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

/** The family every printed document is set in, on every machine; a preview has it where the reader's machine does. */
export const FAMILY = "Inter";
const WEIGHTS = [400, 600, 700];
/** What each file covers, as the package says; other scripts come from the machine's own fonts. */
const RANGES: Record<string, string> = {
  latin:
    "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD",
  "latin-ext":
    "U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF",
};

let faces: Promise<string> | undefined;

async function readFaces(): Promise<string> {
  const folder = path.dirname(createRequire(import.meta.url).resolve("@fontsource/inter/package.json"));
  const face = async (subset: string, weight: number) => {
    const bytes = await readFile(path.join(folder, "files", `inter-${subset}-${weight}-normal.woff2`));
    return `@font-face{font-family:"${FAMILY}";font-weight:${weight};font-style:normal;unicode-range:${RANGES[subset]};src:url(data:font/woff2;base64,${bytes.toString("base64")}) format("woff2")}`;
  };
  const all = Object.keys(RANGES).flatMap((subset) => WEIGHTS.map((weight) => face(subset, weight)));
  return (await Promise.all(all)).join("");
}

/** Style rules that hold the fonts themselves, so that a PDF looks the same whatever the machine has. Read once. */
export function fontFaces(): Promise<string> {
  faces ??= readFaces();
  return faces;
}
