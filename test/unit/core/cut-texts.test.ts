import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { CallExpression, Node } from "typescript/unstable/ast";
import { isCallExpression, isPropertyAccessExpression } from "typescript/unstable/ast/is";
import { API, type Checker } from "typescript/unstable/sync";

const ROOT = path.join(import.meta.dirname, "../../..");
const PRODUCT = /^(?:core|mixins|services|integrations|operator|cli)\//;

/** Texts without characters of two UTF-16 units, by the expression that is cut. */
const NARROW: Record<string, RegExp> = {
  "a digest in hexadecimal or base64url": /\.digest\("(?:hex|base64url)"\)$|^hex$/,
  "a date, a time or an offset": /(?:date|day|time|start|end|month|second|offset|_at|toISOString\(\)|timeIn\(zone, now\))$/,
  "the language of a client or an organisation": /\b(?:default_)?locale\)?$/,
};

/** Other cuts that leave no half of a character, each with the reason. */
const LISTED: Record<string, string> = {
  "core/values/stored-text.ts: text.slice(0, most)": "`shortened`, which removes the half itself",
  "core/values/iban.ts: iban.slice(0, 4)": "letters and digits, by the pattern of an IBAN",
  "services/money/documents/code-lists.ts: bare.slice(0, 2)": "the country of a VAT number, which a pattern matched",
  "services/money/documents/e-invoices/electronic-address.ts: digitsOf(vat).slice(0, 10)": "digits",
  "services/money/documents/e-invoices/electronic-address.ts: id.slice(0, 8)": "digits",
  "integrations/advertising/envelope.ts: id.slice(0, 3)": "ten digits",
  "services/access/second-factor/codes.ts: phone.slice(0, 3)": "a stored telephone number: a plus and digits",
  "services/reporting/tones/tone-key.ts: .slice(0, longest)": "a key of a-z, 0-9 and dashes",
  'services/api/http/input.ts: headers["user-agent"]?.slice(0, 512)': "Node reads a header as Latin-1",
  "services/api/ops/elements.ts: iso.slice(0, 10)": "digits and dashes of a date",
  "operator/domains.ts: mac.slice(0, 40)": "hexadecimal digits",
  "services/api/pages/pages.ts: part.trim().slice(0, 2)": "a header, compared with the languages and never shown",
  "services/api/openapi/openapi-examples.ts: known.slice(0, maxLength)": "an invented example in ASCII",
  "core/impex/files/csv.ts: head.slice(0, HEAD)": "read to find the delimiter, never stored",
  "core/impex/files/date-cells.ts: plain.slice(0, 10)": "digits and dashes of a date",
  'core/impex/files/dates.ts: name.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase().slice(0, 3)':
    "compared with the names of months, never stored",
  "core/impex/known-words.ts: .slice(0, 50)": "a key of a-z, 0-9 and underscores",
  "operator/organisation-backup/ids.ts: id.slice(0, 24)": "hexadecimal digits and dashes of an id",
  "operator/doctor/reach.ts: randomUUID().slice(0, 8)": "hexadecimal digits",
  "integrations/marketing/report-sections/event-names.ts: first.slice(0, 1)": "put together again with its other half",
  "services/reporting/prose/summary.ts: label.slice(0, 1)": "put together again with its other half",
  "core/impex/files/workbook.ts: piece.slice(0, 2 * MOST_CHARACTERS + 1)": "one unit too many for a cell, so the text is refused",
};

/** A call that cuts a text off at a length, by the last line of its source. */
interface Cut {
  receiver: string;
  /** The file and the last line of the call, as `LISTED` has them. */
  at: string;
}

/** Whether an end is a length instead of a position found in the text: a positive literal, or an expression that names a limit. */
function isLength(checker: Checker, end: Node): boolean {
  const type = checker.getTypeAtLocation(end);
  const isLiteral = type !== undefined && /^\d/.test(checker.typeToString(type));
  return isLiteral || /(?<!\.)\b(?:most|longest|limit|max\w*)\b|\b(?:MOST|LONGEST|LIMIT|MAX|HEAD)/.test(end.getText());
}

function isCut(checker: Checker, call: CallExpression): boolean {
  const { expression, arguments: given } = call;
  const [start, end] = given;
  if (!isPropertyAccessExpression(expression) || !/^(?:slice|substring|substr)$/.test(expression.name.text)) return false;
  if (start?.getText() !== "0" || end === undefined) return false;
  const type = checker.getTypeAtLocation(expression.expression);
  const text = type && checker.getNonNullableType(type);
  return text !== undefined && checker.isTypeAssignableTo(text, checker.getStringType()) && isLength(checker, end);
}

/** The calls that cut a text off at a length, in these files of the project of a folder. */
function cutsIn(folder: string, files: RegExp): Cut[] {
  const api = new API({ cwd: folder });
  try {
    const config = path.join(folder, "tsconfig.json");
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`${config} is not a project`);
    const { program, checker } = project;
    const cuts: Cut[] = [];
    for (const name of program.getSourceFileNames()) {
      const file = path.relative(folder, name);
      const source = files.test(file) ? program.getSourceFile(name) : undefined;
      if (!source || !/\.(?:slice|substring|substr)\(/.test(source.text)) continue;
      const visit = (node: Node): void => {
        if (isCallExpression(node) && isPropertyAccessExpression(node.expression) && isCut(checker, node)) {
          const [receiver, call] = [node.expression.expression, node].map((one) => one.getText().trim()) as [string, string];
          cuts.push({ receiver, at: `${file}: ${call.split("\n").at(-1)?.trim()}` });
        }
        node.forEachChild(visit);
      };
      visit(source);
    }
    return cuts;
  } finally {
    api.close();
  }
}

/** Cuts as an author might write them; the rule finds the lines that end in `// cut`, and no other. */
const SAMPLE = `
const MOST = 500;
export const cuts = (text: string, given: string | null | undefined, most: number, longest: { title: number }, rows: string[]) => [
  text.slice(0, 500), // cut
  text.substring(0, MOST), // cut
  given?.slice(0, MOST), // cut
  (given ?? "").trim().slice(0, most - 1), // cut
  text.slice(0, Math.max(0, longest.title)), // cut
  text.slice(0, -1),
  text.slice(0, text.indexOf(" ")),
  text.slice(0, text.length - rows.length),
  text.slice(most),
  rows.slice(0, MOST),
  [...text].slice(0, MOST).join(""),
];
`;

describe("a text that is cut off at a length", function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-cuts-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is found by its type, and is neither a list nor a text cut at a position in it", async () => {
    await writeFile(path.join(folder, "sample.ts"), SAMPLE);
    const config = { extends: path.join(ROOT, "tsconfig.json"), compilerOptions: { types: [] }, include: ["sample.ts"] };
    await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(config));
    const expected = SAMPLE.split("\n").flatMap((line) => /^ *(.*), \/\/ cut$/.exec(line)?.[1] ?? []);
    expect(cutsIn(folder, /^sample\.ts$/).map(({ at }) => at.replace("sample.ts: ", ""))).to.deep.equal(expected);
  });

  it("is cut by `shortened`, which leaves no half of a surrogate pair, unless it has no such characters", () => {
    const cuts = cutsIn(ROOT, PRODUCT);
    const wide = cuts.filter(({ receiver }) => !Object.values(NARROW).some((pattern) => pattern.test(receiver)));
    expect(wide.map(({ at }) => at).filter((at) => !(at in LISTED))).to.deep.equal([]);
    expect(
      Object.keys(LISTED).filter((at) => !cuts.some((cut) => cut.at === at)),
      "listed without need",
    ).to.deep.equal([]);
    for (const [kind, pattern] of Object.entries(NARROW))
      expect(
        cuts.some(({ receiver }) => pattern.test(receiver)),
        kind,
      ).to.equal(true);
  });
});
