import { SaxesParser } from "saxes";
import { Breath } from "../../threads/breath.ts";
import { ImportRefused } from "../refused.ts";
import { brokenWorkbook, type ZipEntry } from "./zip.ts";

/** The attributes of an element by their full names. */
export type Attributes = Readonly<Record<string, string>>;

/** Callbacks of a scan, in document order. Element names have no prefix. */
export interface XmlHandlers {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text?(text: string): void;
}

/** Deepest nesting; workbooks have eight levels. */
const MOST_DEPTH = 64;
/** Most characters of one text or tag. A text above a cell's limit is an error of its row; above this one, of the file. */
const MOST_AT_ONCE = 64_000_000;

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Reads a part of a workbook to its end, or until `isEnough`. @throws ImportRefused if it is not well-formed */
export async function scan(entry: ZipEntry, handlers: XmlHandlers, isEnough: () => boolean = () => false): Promise<void> {
  for await (const _ of scanned(entry, handlers)) if (isEnough()) return;
}

/** As `scan`, piece by piece; others are let in between them. */
export async function* scanned(entry: ZipEntry, handlers: XmlHandlers): AsyncGenerator<void> {
  const parser = parserFor(handlers);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const breath = new Breath();
  for await (const bytes of entry.bytes()) {
    understood(() => parser.write(decoder.decode(bytes, { stream: true })));
    yield;
    if (breath.isDue) await breath.take();
  }
  understood(() => parser.end(decoder.decode()));
}

/** Runs a step of the parser. @throws ImportRefused */
function understood(step: () => void): void {
  try {
    step();
  } catch (error) {
    throw error instanceof ImportRefused ? error : brokenWorkbook(error);
  }
}

/** A parser that calls the handlers. It refuses document types, so nothing is ever expanded, and holds one text or tag at most. */
function parserFor(handlers: XmlHandlers): { write(piece: string): void; end(piece: string): void } {
  const parser = new SaxesParser();
  let depth = 0;
  let unread = 0;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw brokenWorkbook("it declares a document type");
  });
  parser.on("opentag", ({ name, attributes }) => {
    unread = 0;
    if (++depth > MOST_DEPTH) throw brokenWorkbook("its elements are nested too deeply");
    handlers.open(localName(name), attributes);
  });
  parser.on("closetag", ({ name }) => {
    unread = 0;
    depth -= 1;
    handlers.close(localName(name));
  });
  const onText = (text: string) => {
    if (depth > 0) handlers.text?.(text);
  };
  parser.on("text", onText);
  parser.on("cdata", onText);
  return {
    write(piece) {
      unread += piece.length;
      parser.write(piece);
      if (unread > MOST_AT_ONCE)
        throw new ImportRefused("A cell of the workbook has more than 100,000 characters.", "file_too_large");
    },
    end: (piece) => void parser.write(piece).close(),
  };
}
