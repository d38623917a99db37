import { expect } from "chai";
import { day, oneOf, ownWord, type Reader, yesOrNo } from "../../../core/bulk/readers.ts";

describe("the meaning of a text of a bulk update", () => {
  const status = oneOf(["active", "on_hold"]);
  const rows: [reader: Reader, text: string, meaning: unknown][] = [
    [status, "active", { value: "active" }],
    [status, "on_hold", { value: "on_hold" }],
    [status, "Active", { error: "impex.errors.invalid_option" }],
    [status, "on hold", { error: "impex.errors.invalid_option" }],
    [status, "act", { error: "impex.errors.invalid_option" }],
    ...["true", "ja", "yes", "1", "TRUE", "Ja", "yES"].map((text): [Reader, string, unknown] => [yesOrNo, text, { value: true }]),
    ...["false", "nee", "no", "0", "FALSE", "Nee", "nO"].map((text): [Reader, string, unknown] => [
      yesOrNo,
      text,
      { value: false },
    ]),
    ...["y", "n", "wahr", "nein", "waar", "on", "2", "-1", "null"].map((text): [Reader, string, unknown] => [
      yesOrNo,
      text,
      { error: "impex.errors.invalid_bool" },
    ]),
    [day, "2026-03-19", { value: "2026-03-19" }],
    [day, "2024-02-29", { value: "2024-02-29" }],
    ...["2026-02-29", "2026-13-01", "19-03-2026", "2026-3-9", "20260319", "2026-03-19T00:00:00Z", "0000-01-01", "46100"].map(
      (text): [Reader, string, unknown] => [day, text, { error: "impex.errors.invalid_date" }],
    ),
    [ownWord("a status", "open"), "Any word at all", { value: "Any word at all" }],
  ];
  for (const [reader, text, meaning] of rows)
    it(`${reader.about.slice(0, 20)}: '${text}' is ${JSON.stringify(meaning)}`, async () => {
      expect(await reader.of(text)).to.deep.equal(meaning);
    });
});
