import { standard } from "./standard.ts";

/** The body and style sheet of a design. */
export interface Design {
  html: string;
  css: string;
}

/** The design name of an organisation's own body. */
export const CUSTOM = "custom";

const SHIPPED: Readonly<Record<string, Design>> = { standard };

/** A shipped design; the standard one for any other name (workspace-reporting §1.2). */
export const designOf = (name: string): Design => (Object.hasOwn(SHIPPED, name) ? (SHIPPED[name] as Design) : standard);
