import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { answer, list, page, type TSchema, uuid } from "../../../core/schema/schema.ts";
import { operationId, operationName } from "../../../services/api/openapi/operation-names.ts";
import { declare, handler } from "../../support/openapi.ts";

const Kite = answer("Kite", { id: uuid() });
type Route = `${string} ${string}`;

describe("operationName()", () => {
  const of = (name: string, rest: Route, more: { verb?: string; returns?: TSchema } = {}) =>
    operationName(declare(name, action({ rest, summary: "A kite", permission: "companies.company.read", handler, ...more })));

  const rows: [action: string, rest: Route, more: Parameters<typeof of>[2], name: string][] = [
    ["kites.list", "GET /kites", { returns: page(Kite) }, "kites.list"],
    ["kites.list", "GET /kites", { returns: list(Kite) }, "kites.list"],
    ["kites.get", "GET /kites/:kite_id", { returns: Kite }, "kites.get"],
    ["kites.tails", "GET /kites/:kite_id/tails", { returns: list(Kite) }, "kites.tails.list"],
    ["kites.create", "POST /kites", {}, "kites.create"],
    ["kites.change", "PATCH /kites/:kite_id", {}, "kites.update"],
    ["kites.replace", "PUT /kites/:kite_id", {}, "kites.set"],
    ["kites.destroy", "DELETE /kites/:kite_id", {}, "kites.remove"],
    ["kites.fly", "POST /kites/:kite_id/fly", {}, "kites.fly"],
    ["kites.hand-over", "POST /kites/:kite_id/hand-over", {}, "kites.handOver"],
    ["kites.add-tail", "POST /kites/:kite_id/tails", {}, "kites.tails.create"],
    ["kites.air.fly_all", "POST /kites/fly", { verb: "fly" }, "kites.fly"],
    ["kites.logo", "POST /kites/:kite_id/logo", { verb: "upload" }, "kites.logo.upload"],
    ["kites.search", "GET /kites/search", { verb: "search", returns: list(Kite) }, "kites.search"],
    ["kites.tail_kinds.list", "GET /kites/tail_kinds", { returns: list(Kite) }, "kites.tailKinds.list"],
    // Names that modules declare for the beginnings of paths.
    ["auth.two_factor.confirm", "POST /auth/2fa/confirm", {}, "auth.twoFactor.confirm"],
    ["ads_platform.reads.geo", "GET /ads-platform/accounts/:account_id/geo", { returns: list(Kite) }, "ads.geo.list"],
    ["ads_platform.accounts.get", "GET /ads-platform/accounts/:account_id", {}, "ads.accounts.get"],
    ["ads_platform.accounts.verify", "POST /ads-platform/accounts/:account_id/verify", {}, "ads.accounts.verify"],
  ];
  for (const [name, rest, more, expected] of rows)
    it(`is ${expected} for ${rest}${more?.verb === undefined ? "" : ` with the verb ${more.verb}`}`, () => {
      expect(of(name, rest, more)).to.equal(expected);
    });

  it("becomes the operation id in camel case", () => {
    const rest = "POST /webhooks/endpoints/:endpoint_id/rotate" as const;
    const rotate = action({ rest, summary: "Rotate", permission: "companies.company.read", handler });
    expect(operationId(declare("webhooks.endpoints.rotate", rotate))).to.equal("webhooksEndpointsRotate");
  });
});
