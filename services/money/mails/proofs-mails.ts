import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { NO_CUSTOMER } from "../documents/document-schemas.ts";

const CUSTOMER = JSON.stringify({ ...NO_CUSTOMER, name: "Aster", email: "post@aster.test" });

/** Fixtures of mailed documents for the generic tests. */
export const mailProofs: DefineProofs = ({ next }) => {
  /** Issues a document with a recipient address. */
  const issued = (table: "invoices" | "quotes", parameter: string) => (place: Place, rows: Record<string, string>) =>
    place.sql.query(`update ${table} set status = 'open', number = $3, customer = $4 where organisation_id = $1 and id = $2`, [
      place.tenant.organisation.id,
      rows[parameter],
      `M-${next()}`,
      CUSTOMER,
    ]);
  const invoice = issued("invoices", "invoice_id");
  const sent = async () => ({ to: "eva@aster.test", message: "Dag", email: true });
  return {
    bodies: {
      "POST /invoicing/invoices/{invoice_id}/send": sent,
      "POST /invoicing/quotes/{quote_id}/send": sent,
    },
    arranged: {
      "POST /invoicing/invoices/{invoice_id}/send": invoice,
      "POST /invoicing/invoices/{invoice_id}/remind": invoice,
      "POST /invoicing/quotes/{quote_id}/send": issued("quotes", "quote_id"),
    },
  };
};
