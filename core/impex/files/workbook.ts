import { posix } from "node:path";
import { type Fault, isLonger, MOST_CHARACTERS, tooLong } from "./cell.ts";
import { formatOf, GENERAL, isFormat, type NumberFormat } from "./number-format.ts";
import { PackedList } from "./packed.ts";
import { type Attributes, scan } from "./xml-events.ts";
import { brokenWorkbook, type ZipEntry } from "./zip.ts";

/** Maximum size of a part that lists the sheets. */
const MOST_CONTENTS = 1024 * 1024;

export interface WorkbookSheet {
  name: string;
  isVisible: boolean;
  entry: ZipEntry | undefined;
}

export interface Contents {
  sheets: WorkbookSheet[];
  texts: ZipEntry | undefined;
  styles: ZipEntry | undefined;
  /** Whether its dates count from 1904, as on early Macintoshes. */
  isFrom1904: boolean;
}

/** Finds the sheets of a workbook in their order, and its shared texts and styles. */
export async function contentsOf(entries: ReadonlyMap<string, ZipEntry>): Promise<Contents> {
  const small = (name: string): ZipEntry => {
    const entry = entries.get(name);
    if (!entry || entry.size > MOST_CONTENTS) throw brokenWorkbook();
    return entry;
  };
  const pathOf = new Map<string | undefined, string>();
  const kinds = new Map<string, string>();
  await scan(small("xl/_rels/workbook.xml.rels"), {
    open(name, attributes) {
      if (name !== "Relationship") return;
      const path = posix.resolve("/xl", attributes.Target ?? "").slice(1);
      pathOf.set(attributes.Id, path);
      const kind = posix.basename(attributes.Type ?? "");
      if (!kinds.has(kind)) kinds.set(kind, path);
    },
    close() {},
  });
  const contents: Contents = { sheets: [], texts: undefined, styles: undefined, isFrom1904: false };
  await scan(small("xl/workbook.xml"), {
    open(name, attributes) {
      if (name === "workbookPr") contents.isFrom1904 = /^(1|true)$/.test(attributes.date1904 ?? "");
      if (name !== "sheet") return;
      const path = pathOf.get(relationOf(attributes));
      const isVisible = (attributes.state ?? "visible") === "visible";
      contents.sheets.push({ name: attributes.name ?? "", isVisible, entry: entries.get(path ?? "") });
    },
    close() {},
  });
  contents.texts = entries.get(kinds.get("sharedStrings") ?? "");
  contents.styles = entries.get(kinds.get("styles") ?? "");
  return contents;
}

/** The sheet's relation id, which has a prefix of the writer's choice. */
const relationOf = (attributes: Attributes): string | undefined =>
  attributes["r:id"] ?? attributes.id ?? Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1];

/** Collects the pieces of one text, up to the maximum of a cell. */
export class TextCollector {
  #text = "";

  add(piece: string): void {
    // A character takes at most two UTF-16 units.
    if (this.#text.length <= 2 * MOST_CHARACTERS) this.#text += piece.slice(0, 2 * MOST_CHARACTERS + 1);
  }

  take(): string | Fault {
    const text = this.#text;
    this.#text = "";
    return isLonger(text, MOST_CHARACTERS) ? tooLong(text) : text;
  }
}

/** The shared texts of a workbook's cells. All parts of a text count, except its phonetic reading. */
export async function sharedTexts(entry: ZipEntry | undefined): Promise<PackedList<string | Fault>> {
  const texts = new PackedList<string | Fault>();
  if (!entry) return texts;
  const text = new TextCollector();
  let [isText, isPhonetic] = [false, false];
  await scan(entry, {
    open(name) {
      if (name === "rPh") isPhonetic = true;
      isText = name === "t" && !isPhonetic;
    },
    close(name) {
      isText = false;
      if (name === "rPh") isPhonetic = false;
      if (name === "si") texts.add(text.take());
    },
    text: (piece) => isText && text.add(piece),
  });
  return texts;
}

/** The number formats of the cell styles. */
export async function numberFormats(entry: ZipEntry | undefined): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = [];
  if (!entry) return formats;
  const codes = new Map<number, string>();
  let isOfCells = false;
  await scan(entry, {
    open(name, attributes) {
      if (name === "numFmt") {
        const code = attributes.formatCode ?? "";
        if (!isFormat(code)) throw brokenWorkbook();
        codes.set(Number(attributes.numFmtId), code);
      }
      if (name === "cellXfs") isOfCells = true;
      const id = Number(attributes.numFmtId ?? 0);
      if (name === "xf" && isOfCells) formats.push(formatOf(id, codes.get(id)));
    },
    close(name) {
      if (name === "cellXfs") isOfCells = false;
    },
  });
  return formats;
}

export const formatAt = (formats: readonly NumberFormat[], style: string | undefined): NumberFormat =>
  formats[Number(style ?? -1)] ?? GENERAL;
