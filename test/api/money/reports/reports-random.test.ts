import { expect } from "chai";
import { addDays } from "../../../../core/calendar/calendar.ts";
import { Decimal } from "../../../../core/values/money.ts";
import { cents, randomDocuments, SPAN, type Written } from "../../../support/money/random-documents.ts";
import { sharedService, type TestService } from "../../../support/service.ts";
import { rounds } from "../../../support/tier.ts";
import { Invoicing, ok } from "../documents/invoicing.ts";

type Sums = Record<string, [base: number, tax: number]>;

/** Cents, rounded half away from zero. */
const rounded = (value: Decimal): number => value.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();

/**
 * The second computation of VAT by payments, day by day: what a day brings to a document goes to its rates in turn, each getting what brings
 * the share of all rates so far to its rounded part of what was paid until then.
 */
function received({ body, settlings }: Written, until: string): Sums {
  const [total, factor] = [cents(body.total), new Decimal(body.exchange_rate ?? 1)];
  const paid = settlings.filter(({ day }) => day <= until).reduce((sum, one) => sum + one.cents, 0);
  const counted = total < 0 ? Math.max(total, Math.min(0, paid)) : Math.min(total, Math.max(0, paid));
  const sums: Sums = {};
  let [given, upto] = [0, 0];
  for (const { rate_pct, category, base, tax } of body.tax_groups) {
    const gross = cents(base) + cents(tax);
    upto += gross;
    const reached = total === 0 ? upto : rounded(new Decimal(counted).times(upto).dividedBy(total));
    const share = reached - given;
    given = reached;
    const taxed = gross === 0 ? 0 : rounded(new Decimal(share).times(cents(tax)).dividedBy(gross));
    sums[`${rate_pct} ${category}`] = [rounded(factor.times(share - taxed)), rounded(factor.times(taxed))];
  }
  return sums;
}

/** The second computation of VAT by date. */
function booked({ body, cancelled }: Written, until: string): Sums {
  const factor = new Decimal(body.exchange_rate ?? 1);
  if (body.issue_date > until || (cancelled !== null && cancelled <= until)) return {};
  return Object.fromEntries(
    body.tax_groups.map(({ rate_pct, category, base, tax }: Record<string, string>) => [
      ...[`${rate_pct} ${category}`, [rounded(factor.times(cents(base as string))), rounded(factor.times(cents(tax as string)))]],
    ]),
  );
}

/** What was open of a document on a day, by replaying what happened to it. */
function openOn({ body, settlings, cancelled }: Written, on: string): number {
  if (body.issue_date > on || (cancelled !== null && cancelled <= on)) return 0;
  return settlings.filter(({ day }) => day <= on).reduce((left, one) => left - one.cents, cents(body.total));
}

function added(all: Sums[], sign = 1, sums: Sums = {}): Sums {
  for (const one of all)
    for (const [key, [base, tax]] of Object.entries(one)) {
      const [soFar, taxed] = sums[key] ?? [0, 0];
      sums[key] = [soFar + sign * base, taxed + sign * tax];
    }
  return sums;
}
const shown = (sums: Sums): Sums =>
  Object.fromEntries(
    Object.entries(sums)
      .filter(([, [base, tax]]) => base !== 0 || tax !== 0)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

describe("reports of random documents", function () {
  this.timeout(600_000);
  let service: TestService;
  let invoicing: Invoicing;
  let written: Written[];
  before(async () => {
    service = await sharedService();
    const tenant = await service.tenant();
    invoicing = await Invoicing.open(service, tenant);
    const companies = [invoicing.company, (await tenant.company({ name: "Bos", country: "BE" })).id];
    written = await randomDocuments(invoicing, companies, rounds(40, 400), 51);
  });
  after(() => service.stop());

  const reported = async (from: string, to: string, basis: string): Promise<Sums> => {
    const { rates } = await ok(invoicing.owner.get(`/invoicing/reports/vat?from=${from}&to=${to}&basis=${basis}`));
    return shown(
      Object.fromEntries(
        rates.map(({ rate_pct, category, base, tax }: Record<string, string>) => [
          ...[`${rate_pct} ${category}`, [cents(base as string), cents(tax as string)]],
        ]),
      ),
    );
  };
  const periods = [
    SPAN,
    ...["01", "02", "03", "04", "05", "06", "07", "08"].map((month) => ({ from: `2026-${month}-01`, to: `2026-${month}-28` })),
  ];

  for (const [basis, until] of [
    ["invoice", booked],
    ["cash", (one: Written, day: string) => (cents(one.body.total) === 0 ? booked(one, day) : received(one, day))],
  ] as const)
    it(`of VAT by ${basis} are what a second computation finds, in any period`, async () => {
      expect(written.length).to.be.greaterThan(rounds(40, 400));
      for (const { from, to } of periods) {
        const before = addDays(from, -1);
        const expected = added(
          written.map((one) => until(one, before)),
          -1,
          added(written.map((one) => until(one, to))),
        );
        expect(await reported(from, to, basis), `${from} to ${to}`).to.deep.equal(shown(expected));
      }
    });

  it("of VAT by cash are the documents' own amounts once they are settled", async () => {
    const settled = written.filter(
      ({ body, settlings }) => cents(body.total) === settlings.reduce((sum, one) => sum + one.cents, 0),
    );
    expect(settled.length).to.be.greaterThan(5);
    for (const one of settled)
      expect(shown(received(one, SPAN.to))).to.deep.equal(shown(booked({ ...one, cancelled: null }, SPAN.to)));
  });

  it("of open amounts on any day are what replaying the events finds", async () => {
    for (const on of ["2026-01-31", "2026-03-15", "2026-04-30", "2026-06-01", "2026-07-31", SPAN.to]) {
      const expected: Record<string, Record<string, number>> = {};
      for (const one of written) {
        const open = openOn(one, on);
        if (open === 0) continue;
        const { company_id, currency, due_date } = one.body;
        const late = (Date.parse(on) - Date.parse(due_date)) / 86_400_000;
        const bucket =
          late <= 0 ? "not_due" : late <= 30 ? "days_1_30" : late <= 60 ? "days_31_60" : late <= 90 ? "days_61_90" : "older";
        const row = (expected[`${company_id} ${currency}`] ??= { documents: 0, total: 0 });
        for (const key of [bucket, "total"]) row[key] = (row[key] ?? 0) + open;
        row["documents"] = (row["documents"] ?? 0) + 1;
      }
      const { clients } = await ok(invoicing.owner.get(`/invoicing/reports/aged?on=${on}`));
      const found = Object.fromEntries(
        clients.map(({ company_id, currency, name, document_count, ...amounts }: Record<string, string>) => [
          `${company_id} ${currency}`,
          {
            ...Object.fromEntries(
              Object.entries(amounts)
                .map(([key, amount]) => [key, cents(amount)] as const)
                .filter(
                  ([key, amount]) => amount !== 0 || key === "total" || key in (expected[`${company_id} ${currency}`] ?? {}),
                ),
            ),
            documents: document_count,
          },
        ]),
      );
      expect(found, on).to.deep.equal(expected);
    }
  });

  it("of a client's account begin and end with what was open", async () => {
    for (const company of new Set(written.map(({ body }) => body.company_id)))
      for (const [from, to] of [
        [SPAN.from, SPAN.to],
        ["2026-03-01", "2026-05-31"],
      ] as const) {
        const { accounts } = await ok(invoicing.owner.get(`/invoicing/reports/statement/${company}?from=${from}&to=${to}`));
        for (const { currency, opening, entries, closing, open_items } of accounts) {
          const of = written.filter(({ body }) => body.company_id === company && body.currency === currency);
          const balance = (on: string) => of.reduce((sum, one) => sum + openOn(one, on), 0);
          expect([cents(opening), cents(closing)], `${currency} ${from}`).to.deep.equal([
            balance(addDays(from, -1)),
            balance(to),
          ]);
          const changed = entries.reduce((sum: number, { amount }: { amount: string }) => sum + cents(amount), 0);
          expect(cents(opening) + changed).to.equal(cents(closing));
          const open = open_items.map((item: { number: string; open: string }) => [item.number, cents(item.open)]).sort();
          expect(open).to.deep.equal(
            of
              .filter((one) => openOn(one, to) !== 0)
              .map((one) => [one.body.number, openOn(one, to)])
              .sort(),
          );
        }
      }
  });

  it("of revenue are the documents' nets, the same by every group", async () => {
    for (const [from, to] of [
      [SPAN.from, SPAN.to],
      ["2026-02-10", "2026-05-05"],
    ] as const) {
      const within = (day: string | null) => day !== null && day >= from && day <= to;
      const expected = written.reduce((sum, { body, cancelled }) => {
        const net = new Decimal(body.subtotal).times(body.exchange_rate ?? 1);
        return sum.plus(within(body.issue_date) ? net : 0).minus(within(cancelled) ? net : 0);
      }, new Decimal(0));
      for (const group of ["month", "company", "kind", "product"]) {
        const { total } = await ok(invoicing.owner.get(`/invoicing/reports/revenue?from=${from}&to=${to}&group=${group}`));
        expect(total.amount, group).to.equal(expected.toDecimalPlaces(2, Decimal.ROUND_HALF_UP).toFixed(2));
      }
    }
  });
});
