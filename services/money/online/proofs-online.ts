import { randomBytes } from "node:crypto";
import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { NO_CUSTOMER } from "../documents/document-schemas.ts";

const PAYABLE = "/invoicing/invoices/{invoice_id}/payment-intents";

/** Fixtures of online payments for the generic tests. No provider answers in them. */
export const onlineProofs: DefineProofs = ({ next, insert, named, idOf }) => {
  const newKey = () => `live_${randomBytes(12).toString("hex")}`;
  const account = async (place: Place) => {
    const { owner } = place.tenant;
    return idOf(await owner.post("/invoicing/payment-accounts", { label: named(place.token), api_key: newKey() }));
  };
  const invoice = (place: Place) =>
    insert(place, "invoices", {
      company_id: place.companyId,
      number: `O${next()}-${randomBytes(4).toString("hex")}`,
      reference: named(place.token),
      currency: "EUR",
      locale: "nl",
      status: "open",
      customer: JSON.stringify(NO_CUSTOMER),
      total: "121.00",
    });
  /** Adds a payable attempt for every account: it is reused, so no provider is called. */
  const payable = (place: Place) =>
    place.sql.query(
      `insert into payment_intents (id, organisation_id, invoice_id, account_id, provider, external_id, amount, currency, mode, checkout_url)
       select gen_random_uuid(), i.organisation_id, i.id, a.id, a.provider, 'tr_' || replace(gen_random_uuid()::text, '-', ''),
         i.outstanding, i.currency, a.mode, 'https://pay.example/'
         from invoices i join payment_accounts a on a.organisation_id = i.organisation_id
        where i.organisation_id = $1 and i.status = 'open' and i.outstanding > 0 on conflict do nothing`,
      [place.tenant.organisation.id],
    );
  return {
    makers: {
      account_id: { ofCompany: false, make: account },
      intent_id: {
        ofCompany: true,
        make: async (place) =>
          insert(place, "payment_intents", {
            invoice_id: await invoice(place),
            provider: "mollie",
            external_id: `tr_${randomBytes(6).toString("hex")}`,
            amount: "121.00",
            currency: "EUR",
            mode: "live",
            payload: {},
          }),
      },
      [`${PAYABLE} invoice_id`]: { ofCompany: true, make: invoice },
    },
    values: {
      api_key: newKey,
      provider: () => "mollie",
    },
    bodies: {
      [`POST ${PAYABLE}`]: async (place) => {
        const account_id = await account(place);
        await payable(place);
        return { account_id };
      },
    },
    arranged: {
      [`GET ${PAYABLE}`]: (place, rows) =>
        place.sql.query(
          `update payment_intents p set invoice_id = $2 from invoices i where p.organisation_id = $1 and p.account_id is null
             and i.organisation_id = p.organisation_id and i.id = p.invoice_id and i.company_id = $3`,
          [place.tenant.organisation.id, rows["invoice_id"], place.companyId],
        ),
      [`POST ${PAYABLE}`]: payable,
      [`POST ${PAYABLE}/{intent_id}/sync`]: (place, rows) =>
        place.sql.query("update payment_intents set invoice_id = $2 where id = $1", [rows["intent_id"], rows["invoice_id"]]),
    },
  };
};
