import { fileBody } from "../../support/multipart.ts";
import type { Caller } from "../../support/service.ts";
import { camt, ntry } from "../../unit/banking/files.ts";
import { type DocumentBody, ok } from "../money/documents/invoicing.ts";

/** A payment as a test writes it. */
export interface Paid {
  amount: string;
  text?: string;
  iban?: string;
  name?: string;
  day?: string;
  reference?: string;
  direction?: "CRDT" | "DBIT";
  more?: string;
}

const RABO = "NL44RABO0123456789";
let sequence = 0;

/** A CAMT.053 with these entries, whose balances add up. */
export function statementOf(paid: readonly Paid[], opening = 0): string {
  const cents = paid.reduce(
    (total, { amount, direction = "CRDT" }) => total + (direction === "CRDT" ? 1 : -1) * Math.round(Number(amount) * 100),
    Math.round(opening * 100),
  );
  const entries = paid.map(
    ({ amount, text = "", iban = RABO, name = "Aster", day = "2026-06-01", reference, direction = "CRDT", more = "" }) => {
      const side = direction === "CRDT" ? "Dbtr" : "Cdtr";
      const account = iban === "" ? "" : `<${side}Acct><Id><IBAN>${iban}</IBAN></Id></${side}Acct>`;
      return ntry({
        amount,
        day,
        direction,
        more,
        reference: reference ?? `R${(sequence += 1)}`,
        details: `<TxDtls><RltdPties><${side}><Nm>${name}</Nm></${side}>${account}</RltdPties><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`,
      });
    },
  );
  return camt("02", entries.join(""), { opening: opening.toFixed(2), closing: (cents / 100).toFixed(2) });
}

/** Uploads a file. */
export const send = (caller: Caller, content: string | Buffer, type = "application/xml", name = "june.xml") => {
  const { body, headers } = fileBody(content, type, name);
  return caller.post("/banking/statements", body, { headers });
};

/** Uploads a statement of these payments and gives its new entries, in the order of the file. */
export async function arrive(caller: Caller, ...paid: Paid[]): Promise<DocumentBody[]> {
  const uploaded = await ok(send(caller, statementOf(paid)));
  const { items } = await ok(caller.get(`/banking/entries?limit=200&statement_id=${uploaded.statements[0].id}`));
  return items.toReversed();
}
