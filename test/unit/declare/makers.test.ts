import { expect } from "chai";
import { type ActionOptions, action } from "../../../core/declare/action.ts";
import { htmlPage } from "../../../core/declare/makers/html-page.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { oauthEndpoint } from "../../../core/declare/makers/oauth-endpoint.ts";
import { passwordSignIn } from "../../../core/declare/makers/password-sign-in.ts";
import { untenanted } from "../../../core/declare/makers/untenanted.ts";
import { input, text } from "../../../core/schema/schema.ts";

/** Every option of `action()` but its handler; the compiler refuses one that is missing and one too many. */
const OPTIONS: Record<Exclude<keyof ActionOptions, "handler">, true> = {
  ...{ rest: true, summary: true, description: true, permission: true, also: true, everyClient: true, sessionOnly: true },
  ...{ licence: true, licenceExempt: true, path: true, query: true, body: true, example: true, errors: true, timeout: true },
  ...{ returns: true, status: true, otherStatuses: true, conditional: true, writes: true, oneTime: true, exceptions: true },
  ...{ tool: true, acts: true, prepare: true, verb: true },
};

const handler = () => undefined;
const about = { summary: "A kite" };
const open = "a kite is nobody's";
const permission = "companies.company.read";
const body = input("Kite", { name: text(20) });

describe("the makers of actions", () => {
  it("have at most 26 options in action()", () => {
    expect(Object.keys(OPTIONS)).to.have.lengthOf.at.most(26);
  });

  it("state what follows from them", () => {
    const ready = untenanted({ rest: "GET /kites", ...about, open, returns: null, handler: async () => ({ status: 200 }) });
    expect(ready).to.include({ untenanted: true, needs: "nothing", method: "GET", urlPath: "/kites" });
    const token = oauthEndpoint({ rest: "POST /kites", ...about, open, oauth: "invalid_request", body, handler });
    expect(token).to.include({ needs: "nothing", oauth: "invalid_request" });
    expect(passwordSignIn({ rest: "POST /kites", ...about, open, needs: "session", handler })).to.include({ localSignIn: true });
    expect(internal({ ...about, permission, handler })).to.include({ method: "", urlPath: "" });
  });

  it("make the body of a page that of a form, and say of a page without one nothing", () => {
    expect(htmlPage({ page: "POST /kite", ...about, open, body, handler }).bodyType).to.equal(
      "application/x-www-form-urlencoded",
    );
    expect(htmlPage({ page: "GET /kite", ...about, open, handler })).not.to.have.property("bodyType");
  });

  it("raise the limit of a body for a text of more than 1 MiB, and for no other", () => {
    const most = (length: number) =>
      action({
        rest: "POST /kites",
        ...about,
        permission,
        body: input("Kites", { photo: text(length), name: text(20) }),
        handler,
      }).mostBody;
    expect([1024 * 1024, 1024 * 1024 + 1, 12_000_000].map(most)).to.deep.equal([undefined, 1_148_577, 12_100_000]);
  });
});
