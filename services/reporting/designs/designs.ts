import { standard } from "./standard.ts";

/** The body and the style sheet of a design. */
export interface Design {
  html: string;
  css: string;
}

/** The design that is an organisation's own body. */
export const CUSTOM = "custom";

const SHIPPED: Readonly<Record<string, Design>> = { standard };

/** A shipped design; the standard one for every other name (workspace-reporting §1.2). */
export const designOf = (name: string): Design => (Object.hasOwn(SHIPPED, name) ? (SHIPPED[name] as Design) : standard);
