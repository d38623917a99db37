import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { httpParams } from "../../../services/api/http/input.ts";
import type { FoundRoute } from "../../../services/api/routes.ts";

const found = {
  route: { lists: [], declaration: { urlPath: "/companies/:company_id/links" } },
  parameters: { company_id: "a b" },
} as unknown as FoundRoute;

describe("the parameters of an action from a request", () => {
  const rows: [method: string, headers: Record<string, string>, path: string | undefined][] = [
    ["GET", {}, undefined],
    ["GET", { "idempotency-key": "k" }, undefined],
    ["POST", {}, undefined],
    ["POST", { "idempotency-key": "k" }, "/api/v1/companies/a%20b/links"],
  ];
  for (const [method, headers, path] of rows)
    it(`have ${path ? "the" : "no"} path for a ${method} with headers ${JSON.stringify(headers)}`, async () => {
      const { $http } = await httpParams({ method, headers } as unknown as IncomingMessage, found, new URLSearchParams());
      expect($http.path).to.equal(path);
      expect($http.idempotency === undefined).to.equal(path === undefined);
    });
});
