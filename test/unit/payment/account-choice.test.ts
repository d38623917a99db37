import { expect } from "chai";
import { type AskedAccount, chosenAccount } from "../../../integrations/payment/accounts/account-choice.ts";

const account = (id: string, mode: "test" | "live", active = true, provider = "mollie") => ({ id, mode, active, provider });

describe("the account an attempt is made with (money §11)", () => {
  const [test, live, other] = [account("t", "test"), account("l", "live"), account("o", "live")];
  const [off, elsewhere] = [account("x", "live", false), account("e", "live", true, "fake")];

  const chosen: [what: string, accounts: (typeof test)[], asked: AskedAccount, id: string][] = [
    ["the only active one", [test, off], {}, "t"],
    ["the only live one of several", [test, live], {}, "l"],
    ["the named one", [test, live, other], { account_id: "o" }, "o"],
    ["the named one in capitals", [test, live], { account_id: "T" }, "t"],
    ["the only one of the provider", [live, elsewhere], { provider: "fake" }, "e"],
    ["the only one where null asks for none", [live], { provider: null, account_id: null }, "l"],
  ];
  for (const [what, accounts, asked, id] of chosen)
    it(`is ${what}`, () => expect(chosenAccount(accounts, asked).id).to.equal(id));

  const refused: [what: string, accounts: (typeof test)[], asked: AskedAccount, code: string][] = [
    ["none is there", [], {}, "payment_no_account"],
    ["none is active", [off], {}, "payment_no_account"],
    ["none is of the provider", [live], { provider: "fake" }, "payment_no_account"],
    ["two are live", [live, other], {}, "payment_account_ambiguous"],
    ["two are for tests", [test, account("u", "test")], {}, "payment_account_ambiguous"],
    ["the named one is inactive", [live, off], { account_id: "x" }, "payment_account_inactive"],
    ["the named one is not there", [live], { account_id: "n" }, "not_found"],
    ["the named one is of another provider", [live], { account_id: "l", provider: "fake" }, "not_found"],
  ];
  for (const [what, accounts, asked, code] of refused)
    it(`is refused with ${code} where ${what}`, () => {
      const error = (() => {
        try {
          return chosenAccount(accounts, asked);
        } catch (thrown) {
          return thrown;
        }
      })() as { type: string; data?: { fields?: object } };
      expect(error.type).to.equal(code);
      if (code === "payment_account_ambiguous") expect(error.data?.fields).to.deep.equal({ account_id: "errors.required" });
    });
});
