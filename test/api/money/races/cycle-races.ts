import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type pg from "pg";
import { addMonths } from "../../../../core/calendar/calendar.ts";
import { until } from "../../../support/jobs.ts";
import { makeAgreement } from "../agreements/agreement-records.ts";
import { ok, statuses } from "../documents/invoicing.ts";
import { many, type Place, type Race } from "./race.ts";

const CYCLE = "subscriptions.bill";
const BILLING = "subscription.due > invoicing.billing";
const today = () => new Intl.DateTimeFormat("sv", { timeZone: "Europe/Amsterdam" }).format();

/** What of these jobs is still to be done for an organisation. */
const LEFT = `select (select count(*) from outbox where organisation_id = $1 and relayed_at is null and (job = '${CYCLE}' or event = 'subscription.due'))
  + (select count(*) from jobs.agenda_jobs where name in ('${CYCLE}', '${BILLING}') and type = 'normal' and data->>'organisation' = $1::text
      and (next_run_at is not null or locked_at is not null))
  + (select count(*) from jobs.ordered where name = '${BILLING}' and data->>'organisation' = $1::text and dead_at is null) as left`;

const wake = (sql: pg.Client) => sql.query('select pg_notify(\'kantoor_jobs\', \'{"node": "the test", "wakes": []}\')');
const ended = ({ sql, books }: Place) =>
  until(async () => (await sql.query(LEFT, [books.tenant.organisation.id])).rows[0].left === "0");

/** Has the cycle of an organisation run so often, all at once. */
async function runCycle(place: Place, times: number): Promise<void> {
  const { sql, books } = place;
  await sql.query(
    `insert into outbox (id, organisation_id, job, payload, request_id)
      select gen_random_uuid(), $1, $2, '{}', 'test' from generate_series(1, $3)`,
    [books.tenant.organisation.id, CYCLE, times],
  );
  await wake(sql);
  await ended(place);
}

/** A monthly agreement whose boundary is today, and the one after it a month ahead. */
const due = (books: Place["books"]) =>
  makeAgreement(books.tenant, {
    company_id: books.company,
    start_date: addMonths(today(), -3),
    next_invoice_date: today(),
    auto_invoice_mode: "issue",
  });

async function billedOnce({ sql }: Place, id: string): Promise<string> {
  const { rows } = await sql.query("select status, period_end::text from invoices where subscription_id = $1", [id]);
  expect(rows).to.deep.equal([{ status: "open", period_end: today() }]);
  return "one document";
}

const prepare = ({ books }: Place) =>
  ok(books.owner.put("/invoicing/settings", { company_details: { name: "Vela Works" }, default_tax_rate_id: books.rates["21"] }));

/** Periods that are billed from two sides (money §16). */
export const cycleRaces: readonly Race[] = [
  {
    name: "cycle job × 2",
    prepare,
    async round(place) {
      const { id } = await due(place.books);
      await runCycle(place, 2);
      const { rows } = await place.sql.query(
        "select count(*)::int as reported from recorded where entity_id = $1 and event = 'subscription.due'",
        [id],
      );
      expect(rows).to.deep.equal([{ reported: 1 }]);
      return billedOnce(place, id as string);
    },
  },
  {
    name: "one period reported × 3",
    prepare,
    async round(place) {
      const { id, company_id, name } = await due(place.books);
      const payload = {
        subscription_id: id,
        company_id,
        name,
        currency: "EUR",
        level: "issue",
        period_start: addMonths(today(), -1),
        period_end: today(),
        amount: "90.00",
        lines: [],
      };
      // Under an entity each, so that no one waits for another.
      for (const entity of [randomUUID(), randomUUID(), randomUUID()])
        await place.sql.query(
          `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, request_id)
            values (gen_random_uuid(), $1, 'subscription.due', 'subscription', $2, $3, 'test')`,
          [place.books.tenant.organisation.id, entity, JSON.stringify(payload)],
        );
      await wake(place.sql);
      await ended(place);
      return billedOnce(place, id as string);
    },
  },
  {
    name: "two drafts of one period",
    async round({ books }) {
      const { id: subscription_id } = await due(books);
      const period = { line_kind: "subscription", subscription_id, period_end: today() };
      const lines = [books.line(1, 90, "21", period)];
      const answers = await many(2, () => books.owner.post("/invoicing/invoices", { company_id: books.company, lines }));
      expect(statuses(answers)).to.deep.equal({ 201: 1, 409: 1 });
      return answers[0]?.status === 201 ? "first won" : "second won";
    },
  },
];
