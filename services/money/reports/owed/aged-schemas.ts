import { answer, date, decimal, field, list, Type, uuid } from "../../../../core/schema/schema.ts";

const buckets = {
  not_due: decimal({ description: "Open amount that was not past its due date; on the due date it is not" }),
  days_1_30: decimal({ description: "Open amount 1 to 30 days past its due date" }),
  days_31_60: decimal({ description: "Open amount 31 to 60 days past its due date" }),
  days_61_90: decimal({ description: "Open amount 61 to 90 days past its due date" }),
  older: decimal({ description: "Open amount more than 90 days past its due date" }),
  total: decimal({ description: "Sum of the five; below zero if the organisation owes it" }),
};

const AgedClient = answer("AgedClient", {
  company_id: field(uuid(), "The client"),
  name: Type.String({ description: "The client's name" }),
  currency: Type.String({ description: "Currency of these amounts: a client has an entry for each of its documents" }),
  ...buckets,
  document_count: Type.Integer({ description: "Documents with something open" }),
});

const AgedTotal = answer("AgedTotal", {
  currency: Type.String({ description: "Currency of these amounts" }),
  ...buckets,
  document_count: Type.Integer({ description: "Documents with something open in this currency" }),
});

/** What clients owed on a day. */
export const AgedReport = answer("AgedReport", {
  on: field(date(), "The day, in the organisation's zone"),
  currency: Type.String({ description: "The organisation's currency, of `converted`" }),
  clients: field(list(AgedClient), "Clients with something open by currency, the largest amount first"),
  totals: field(list(AgedTotal), "Sums over all clients, by currency"),
  converted: field(
    answer("AgedConverted", buckets),
    "Sums over all clients in the organisation's currency, at each document's exchange rate",
  ),
  unconverted_count: Type.Integer({
    description: "Documents in another currency without an exchange rate, which `converted` does not include",
  }),
});
