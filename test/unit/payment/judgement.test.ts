import { expect } from "chai";
import { judged } from "../../../integrations/payment/judgement.ts";
import type { ProviderPayment } from "../../../integrations/payment/provider.ts";

const paid: ProviderPayment = {
  id: "tr_1",
  status: "paid",
  mode: "live",
  amount: { value: "121.00", currency: "EUR" },
  method: "ideal",
  checkoutUrl: null,
  paidAt: "2026-03-31T22:40:00Z",
  failure: null,
  extract: { expiresAt: "2026-04-01T00:00:00Z" },
};
const attempt = {
  status: "open" as const,
  mode: "live" as const,
  method: null,
  currency: "EUR",
  checkout_url: "https://pay.example/1",
  settled_at: null,
  version: 3,
};
const facts = {
  attempt,
  askedAt: 3,
  fetched: paid,
  invoice: { status: "open" as const },
  zone: "Europe/Amsterdam",
  now: "2026-04-02T10:00:00Z",
};
const judge = (change: Partial<typeof facts> | object = {}) => judged({ ...facts, ...change } as typeof facts);
const fetched = (change: Partial<ProviderPayment>) => ({ fetched: { ...paid, ...change } });

describe("the effect of a provider's status on an attempt (money §11)", () => {
  it("books the reported amount, on the organisation's day (money §18, example 16)", () => {
    expect(judge()).to.deep.equal({
      status: "paid",
      method: "ideal",
      mode: "live",
      checkout_url: null,
      last_error: null,
      payload: { expiresAt: "2026-04-01T00:00:00Z" },
      arrival: { amount: "121.00", paid_on: "2026-04-01" },
    });
  });

  it("books the amount the provider reports, not the requested one", () => {
    expect(judge(fetched({ amount: { value: "60.5", currency: "EUR" } }))?.arrival?.amount).to.equal("60.50");
  });

  it("takes the present day where the provider does not say when", () => {
    expect(judge(fetched({ paidAt: null }))?.arrival?.paid_on).to.equal("2026-04-02");
  });

  const unbooked: [what: string, change: object, error: RegExp | null][] = [
    ["a test payment", fetched({ mode: "test" }), null],
    ["a test attempt whose answer names no mode", { ...fetched({ mode: null }), attempt: { ...attempt, mode: "test" } }, null],
    ["another currency", fetched({ amount: { value: "121.00", currency: "USD" } }), /USD/],
    ["no amount", fetched({ amount: null }), /no amount/],
    ["an amount of nothing", fetched({ amount: { value: "0.00", currency: "EUR" } }), /no amount/],
    ["a cancelled invoice", { invoice: { status: "cancelled" } }, /cancelled/],
    ["an attempt that is settled", { attempt: { ...attempt, settled_at: "2026-04-01T00:00:00Z" } }, null],
  ];
  for (const [what, change, error] of unbooked)
    it(`does not book ${what}, whose status is paid all the same`, () => {
      const verdict = judge(change);
      expect([verdict?.status, verdict?.arrival, verdict?.checkout_url]).to.deep.equal(["paid", null, null]);
      if (error) expect(verdict?.last_error).to.match(error);
      else expect(verdict?.last_error).to.equal(null);
    });

  it("books on an invoice that is paid already", () => {
    expect(judge({ invoice: { status: "paid" } })?.arrival?.amount).to.equal("121.00");
  });

  for (const status of ["open", "pending", "authorized"] as const)
    it(`books nothing while it is ${status}, and keeps the link`, () => {
      const verdict = judge(fetched({ status }));
      expect([verdict?.status, verdict?.arrival, verdict?.checkout_url]).to.deep.equal([status, null, attempt.checkout_url]);
    });

  for (const status of ["failed", "expired", "canceled"] as const)
    it(`clears the link once it is ${status}, even where the answer still has one, and keeps why`, () => {
      const verdict = judge(fetched({ status, checkoutUrl: "https://pay.example/2", failure: "declined" }));
      expect([verdict?.checkout_url, verdict?.last_error, verdict?.arrival]).to.deep.equal([null, "declined", null]);
    });

  it("takes a new link while something is to be paid", () => {
    expect(judge(fetched({ status: "pending", checkoutUrl: "https://pay.example/2" }))?.checkout_url).to.equal(
      "https://pay.example/2",
    );
  });

  it("ignores an answer that was overtaken by the end of the attempt", () => {
    const ended = { ...attempt, status: "paid" as const, version: 4 };
    expect(judge({ attempt: ended, ...fetched({ status: "open" }) })).to.equal(null);
  });

  it("uses the provider's status if nothing was stored meanwhile, after any earlier status", () => {
    expect(judge({ attempt: { ...attempt, status: "failed" }, ...fetched({ status: "open" }) })?.status).to.equal("open");
  });

  it("takes an end that comes after another", () => {
    const ended = { ...attempt, status: "expired" as const, version: 4 };
    expect(judge({ attempt: ended })?.arrival?.amount).to.equal("121.00");
  });
});
