import { addDays } from "../../../core/calendar/calendar.ts";
import { newId } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { decimal, formatDecimal, sum } from "../../../core/values/money.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { propose } from "../matching/proposing.ts";
import { BankEntry, BankStatement, SepaMandate } from "../models.ts";
import { PLAIN, type ReadEntry } from "../reading/read-statement.ts";

const BUSY = statement("select 1 from bank_statements where organisation_id = $1 limit 1");
const OPEN = statement(`select i.number, i.outstanding::text as outstanding, c.name from invoices i
  join companies c on c.organisation_id = i.organisation_id and c.id = i.company_id
  where i.organisation_id = $1 and i.status = 'open' and i.kind = 'invoice' and i.outstanding > 0 and i.currency = 'EUR'
  order by i.number limit 3`);

const CLIENT = statement("select id, name from companies where organisation_id = $1 and id = $2");

const ACCOUNT = "NL91ABNA0417164300";
const PAYERS = ["NL44RABO0123456789", "NL69INGB0123456789", "NL02ABNA0123456789"] as const;
const OPENING = "12450.18";

interface OpenInvoice {
  number: string;
  outstanding: string;
  name: string;
}

/** Payments of three open invoices (one in part), the bank's costs, a purchase, and money of which nothing says what it pays. */
function entriesOf(invoices: readonly OpenInvoice[], today: string): (Partial<ReadEntry> & { amount: string; days: number })[] {
  const paid = invoices.map(({ number, outstanding, name }, index) => ({
    days: 2 + index,
    amount: index === 2 ? formatDecimal(decimal(outstanding).dividedBy(2).toDecimalPlaces(2)) : outstanding,
    counter_iban: PAYERS[index] ?? null,
    counter_name: name,
    text: index === 1 ? `Betaling ${number.replaceAll("-", "")}` : `Factuur ${number}`,
  }));
  return [
    ...paid,
    { days: 1, amount: "-14.95", kind: "bank_costs" as const, text: `Kosten zakelijk betaalpakket ${today.slice(0, 7)}` },
    { days: 3, amount: "-87.12", counter_iban: "NL20INGB0001234567", counter_name: "Kantoorhandel De Vries", text: "Pin 14:02" },
    { days: 4, amount: "250.00", counter_iban: "NL64ASNB0123456789", counter_name: "M. Visser", text: "Zoals besproken" },
  ];
}

/** Adds a statement of last week with proposals, and a mandate of the first client, to the demo organisation. Does nothing if it has one. */
export async function fillBanking({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const ids = demoIds(organisation);
      const today = organisationToday();
      const entries = entriesOf(await query<OpenInvoice>(OPEN, [organisation.id]), today);
      const statementId = queueInsert(BankStatement, {
        id: ids("banking/statements"),
        statement_key: `demo ${newId()}`,
        file_name: "afschrift.xml",
        format: "camt053",
        account: ACCOUNT,
        currency: "EUR",
        number: "47",
        from_day: addDays(today, -Math.max(...entries.map(({ days }) => days))),
        to_day: addDays(today, -1),
        opening: OPENING,
        closing: formatDecimal(sum([OPENING, ...entries.map(({ amount }) => amount)])),
        entry_count: entries.length,
        added_count: entries.length,
      });
      for (const [position, { days, text = "", ...entry }] of entries.entries()) {
        const { counter_iban, counter_name, kind } = { ...PLAIN, ...entry };
        queueInsert(BankEntry, {
          id: ids("banking/entries"),
          ...{
            statement_id: statementId,
            entry_key: `demo ${newId()}`,
            position: position + 1,
            account: ACCOUNT,
            currency: "EUR",
          },
          ...{ booked_on: addDays(today, -days), value_on: addDays(today, -days), amount: entry.amount, description: text },
          ...{ counter_iban, counter_name, kind },
        });
      }
      const client = await queryOne<{ id: string; name: string }>(CLIENT, [organisation.id, demoIds(organisation)("companies")]);
      if (client)
        queueInsert(SepaMandate, {
          id: ids("banking/mandates"),
          company_id: client.id,
          reference: `M-${today.slice(0, 4)}-01`,
          scheme: "core",
          iban: PAYERS[0],
          bic: null,
          account_holder: client.name,
          signed_on: addDays(today, -60),
          revoked_on: null,
        });
      await propose();
    },
  );
}
