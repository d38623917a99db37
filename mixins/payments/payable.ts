import { type DecimalInput, decimal } from "../../core/values/money.ts";

/** Whether a document can be paid now: an open invoice with an amount due (money §2 "Derived", §11, §13). */
export const isPayable = (document: { kind: string; status: string; outstanding: DecimalInput }): boolean =>
  document.kind === "invoice" && document.status === "open" && decimal(document.outstanding).greaterThan(0);
