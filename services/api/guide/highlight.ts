import { escapedHtml } from "../../../core/values/text.ts";

const WORDS: Readonly<Record<string, string>> = {
  ts: "async|await|class|const|else|export|for|from|function|if|import|in|instanceof|let|new|of|return|throw|try|catch|type|while|yield",
  python:
    "and|as|async|await|class|def|elif|else|except|for|from|global|if|import|in|is|not|or|return|try|while|with|yield|None|True|False",
  sh: "curl|do|done|echo|for|if|in|kill|node|npm|npx|seq|sleep|then|fi",
};
const SAME: Readonly<Record<string, string>> = { js: "ts", mjs: "ts", typescript: "ts", bash: "sh", py: "python" };
const TEXT = [String.raw`"(?:[^"\\\n]|\\.)*"`, String.raw`'(?:[^'\\\n]|\\.)*'`, "`(?:[^`\\\\]|\\\\.)*`"].join("|");

const patterns = new Map(
  Object.entries(WORDS).map(([language, words]) => {
    const comment = language === "ts" ? String.raw`\/\/.*|\/\*[\s\S]*?\*\/` : String.raw`(?<=^|\s)#.*`;
    return [language, new RegExp(`(${comment})|(${TEXT})|\\b(${words})\\b`, "gm")] as const;
  }),
);

/** Code as HTML with its comments (`i`), texts (`s`) and words (`b`) marked; of an unknown language as it is. */
export function highlighted(code: string, language: string): string {
  const pattern = patterns.get(SAME[language] ?? language);
  if (!pattern) return escapedHtml(code);
  let [made, done] = ["", 0];
  for (const { 0: found, 1: comment, 2: text, index } of code.matchAll(pattern)) {
    const element = comment !== undefined ? "i" : text !== undefined ? "s" : "b";
    made += `${escapedHtml(code.slice(done, index))}<${element}>${escapedHtml(found)}</${element}>`;
    done = index + found.length;
  }
  return made + escapedHtml(code.slice(done));
}
