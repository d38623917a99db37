import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(import.meta.dirname, "../..");
const FOLDER = "docs/guides";

/** The languages of the samples in guides. */
export const GUIDE_LANGUAGES = ["sh", "ts", "python"] as const;
type Language = (typeof GUIDE_LANGUAGES)[number];

/** Names of the guides, without their index. */
export const guideNames = (): string[] =>
  globSync(`${FOLDER}/*.md`, { cwd: ROOT })
    .map((file) => path.basename(file, ".md"))
    .filter((name) => name !== "README")
    .sort();

export const guideText = (name: string): string => readFileSync(path.join(ROOT, FOLDER, `${name}.md`), "utf8");

/** The samples of a guide in the order of the page, each with its language. */
export const samplesOf = (name: string): { language: string; code: string }[] =>
  [...guideText(name).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({ language, code }));

/**
 * A guide in one language as one program: the first lines, then its samples.
 * @param url address of the service that it calls, with a key of its demo
 * @param receiver port on this machine that takes what the service sends
 */
export function guideProgram(
  name: string,
  language: Language,
  { url, key }: { url: string; key: string },
  receiver: number,
): string {
  const code = ["README", name].flatMap((one) => samplesOf(one).filter((sample) => sample.language === language));
  return code
    .map((sample) => sample.code)
    .join("\n")
    .replaceAll("http://localhost:3000", url)
    .replaceAll("https://agency.example", url)
    .replaceAll("kt_…", key)
    .replaceAll("127.0.0.1:4000", `127.0.0.1:${receiver}`);
}
