import { sourceOf } from "../../../core/impex/files/encoding.ts";
import { scan } from "../../../core/impex/files/xml-events.ts";
import { ImportRefused } from "../../../core/impex/refused.ts";
import { StatementUnreadable } from "./unreadable.ts";

/** An element without its prefix, with its own text. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  text: string;
  children: XmlElement[];
}

/** Most elements of one entry, with the payments of its batch. */
const MOST_ELEMENTS = 400_000;
/** Most characters of one text: the longest of the standard has 500. */
const MOST_CHARACTERS = 100_000;

/** Callbacks of the tree, as it is built. */
export interface TreeHandlers {
  /** The element has opened; it has no children yet. */
  opened(element: XmlElement, depth: number): void;
  /** The element is complete. True to forget it: its parent then does not have it. */
  closed(element: XmlElement, depth: number): boolean;
}

const broken = (reason: string) => new StatementUnreadable("broken_file", `The XML cannot be read: ${reason}.`);

/**
 * Builds the elements of an XML file and hands them over as they close. Document types and entities are refused, as are files nested too
 * deeply: nothing is ever expanded or fetched.
 * @throws StatementUnreadable
 */
export async function scanTree(bytes: Uint8Array, handlers: TreeHandlers): Promise<void> {
  const path: XmlElement[] = [];
  let kept = 0;
  const entry = { name: "statement", size: bytes.length, bytes: sourceOf(bytes) as () => AsyncGenerator<Uint8Array> };
  try {
    await scan(entry, {
      open(name, attributes) {
        if ((kept += 1) > MOST_ELEMENTS) throw broken("an entry has too many elements");
        const element = { name, attributes: { ...attributes }, text: "", children: [] };
        handlers.opened(element, path.length);
        path.push(element);
      },
      text(text) {
        const element = path.at(-1);
        if (!element) return;
        element.text += text;
        if (element.text.length > MOST_CHARACTERS) throw broken(`an element has more than ${MOST_CHARACTERS} characters`);
      },
      close() {
        const element = path.pop() as XmlElement;
        if (handlers.closed(element, path.length)) kept = 0;
        else path.at(-1)?.children.push(element);
      },
    });
  } catch (error) {
    throw refusalOf(error);
  }
}

/** What the parser refused, as a refusal of a statement. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ImportRefused)) return error;
  const { cause } = error;
  if (cause instanceof StatementUnreadable) return cause;
  return broken(cause instanceof Error ? cause.message.replace(/\.$/, "") : String(cause ?? "it is too large"));
}

/** The first element at a path below another. */
export function at(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text at a path, without spaces around it; null if it is absent or empty. */
export const textAt = (element: XmlElement | undefined, ...path: readonly string[]): string | null =>
  at(element, ...path)?.text.trim() || null;

/** All elements of a name directly below another. */
export const all = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];
