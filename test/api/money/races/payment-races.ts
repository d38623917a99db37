import { expect } from "chai";
import { send } from "../../../support/http.ts";
import { askAgain } from "../../../support/money/payment-job.ts";
import { newKey } from "../../payment/payment-world.ts";
import { type DocumentBody, ok, statuses } from "../documents/invoicing.ts";
import { many, meet, type Place, type Race } from "./race.ts";

/** An account of the round's own: a provider is called 300 times a minute at most per account. */
const account = ({ books }: Place, round: number): Promise<{ id: string }> =>
  ok(books.owner.post("/invoicing/payment-accounts", { provider: "mollie", label: `Live ${round}`, api_key: newKey() }));

const attemptsAt = (invoice: DocumentBody) => `/invoicing/invoices/${invoice.id}/payment-intents`;

async function started(place: Place, round: number, invoice: DocumentBody): Promise<{ id: string; external_id: string }> {
  const { books, sql } = place;
  const { id: account_id } = await account(place, round);
  const { id } = await ok(books.owner.post(attemptsAt(invoice), { account_id }));
  const { rows } = await sql.query("select external_id from payment_intents where id = $1", [id]);
  return { id, external_id: rows[0].external_id };
}

/** Money that arrives online, from all sides at once (money §16). */
export const paymentRaces: readonly Race[] = [
  {
    name: "callbacks + sync + refresh + job",
    async round(place, round) {
      const { books, provider, ports, sql } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const attempt = await started(place, round, invoice);
      provider.pay(attempt.external_id);
      const at = attemptsAt(invoice);
      const token = String(invoice.public_url).split("/").at(-1);
      const job = askAgain(sql);
      const callbacks = Promise.all(ports.map((port) => provider.callback(attempt.external_id, port, 3)));
      const answers = await Promise.all([
        books.owner.post(`${at}/${attempt.id}/sync`),
        books.owner.post(`${at}/${attempt.id}/sync`),
        books.owner.post(`${at}/refresh`),
        ...ports.map((port) => send(port, "POST", `/invoicing/public/invoices/${token}/refresh`, { host: books.tenant.host })),
      ]);
      expect([...answers.map(({ status }) => status), ...(await callbacks).flat()]).to.deep.equal(
        Array(answers.length + 3 * ports.length).fill(200),
      );
      await job;
      const { status, paid_total, payments } = await books.read(invoice.id);
      expect([status, paid_total, payments.length]).to.deep.equal(["paid", "121.00", 1]);
      return "one payment";
    },
  },
  {
    name: "callback vs payment vs note issue",
    async round(place, round) {
      const { books, provider, ports } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const attempt = await started(place, round, invoice);
      const note = await books.credit(invoice.id);
      provider.pay(attempt.external_id);
      const [called, paid, issued] = await meet(
        round,
        () => provider.callback(attempt.external_id, ports.at(-1) as number, 2),
        () => books.owner.post(`/invoicing/invoices/${invoice.id}/payments`, { paid_on: "2026-06-01", amount: 50 }),
        () => books.owner.post(`/invoicing/invoices/${note.id}/issue`, {}),
      );
      expect([...called, paid.status, issued.status]).to.deep.equal([200, 200, 200, 200]);
      const { paid_total, status, credited_total } = await books.read(invoice.id);
      expect([paid_total, status]).to.deep.equal(["171.00", "paid"]);
      return `credited ${credited_total}`;
    },
  },
  {
    name: "callback vs cancel",
    async round(place, round) {
      const { books, provider, ports } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const attempt = await started(place, round, invoice);
      provider.pay(attempt.external_id);
      const [cancel] = await meet(
        round,
        () => books.owner.post(`/invoicing/invoices/${invoice.id}/cancel`),
        () => provider.callback(attempt.external_id, ports.at(-1) as number),
      );
      const { status, paid_total } = await books.read(invoice.id);
      expect([status, paid_total]).to.deep.equal(cancel.status === 200 ? ["cancelled", "0.00"] : ["paid", "121.00"]);
      return status;
    },
  },
  {
    name: "attempt × 4",
    async round(place, round) {
      const { books, provider } = place;
      const invoice = await books.issued([books.line(1, 100)]);
      const { id: account_id } = await account(place, round);
      const before = provider.calls("create");
      const answers = await many(4, () => books.owner.post(attemptsAt(invoice), { account_id }));
      expect(statuses(answers)).to.deep.equal({ 200: 4 });
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
      expect(provider.calls("create") - before).to.equal(1);
      return "one at the provider";
    },
  },
];
