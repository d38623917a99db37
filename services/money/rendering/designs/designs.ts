import { classic } from "./classic.ts";
import { letterhead } from "./letterhead.ts";

/** The body and the style sheet of a design. */
export interface Design {
  html: string;
  css: string;
}

const SHIPPED: Readonly<Record<string, Design>> = { classic, letterhead };

/** A shipped design; the classic one for any other name (money §14). */
export const designOf = (name: string): Design => (Object.hasOwn(SHIPPED, name) ? (SHIPPED[name] as Design) : classic);
