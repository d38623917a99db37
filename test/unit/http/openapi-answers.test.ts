import { expect } from "chai";
import type { Declaration } from "../../../services/api/openapi/declaration.ts";
import { type Answer, documentOf, fixture, operationOf } from "../../support/openapi.ts";

describe("answers of the document", () => {
  const made = documentOf(fixture());
  const at = (route: string) => operationOf(made, route);
  const refusals = (route: string, status: number): string[] => {
    const name = at(route).responses[status]?.$ref?.split("/").at(-1) ?? "";
    const content = (made.components.responses[name] as unknown as Answer).content;
    return Object.values(content?.["application/json"]?.examples ?? {}).map(
      ({ value }) => (value.error as { message: string }).message,
    );
  };
  it("have the success status, and further ones", () => {
    const statuses = (route: string) => Object.keys(at(route).responses).filter((status) => status < "300");
    expect(statuses("GET /companies")).to.deep.equal(["200"]);
    expect(statuses("POST /companies")).to.deep.equal(["201"]);
    expect(statuses("DELETE /companies/{company_id}")).to.deep.equal(["204"]);
    expect(statuses("POST /auth/login")).to.deep.equal(["200", "204"]);
    expect(at("POST /auth/login").responses["204"]).to.not.have.property("content");
    expect(at("GET /health/ready").responses["503"])
      .to.have.nested.property("content.application/json.schema.$ref")
      .that.contains("Readiness");
  });

  it("name their headers: ETag on the read of a row, the budget wherever a key counts", () => {
    const headers = (route: string, status: number) => Object.keys(at(route).responses[status]?.headers ?? {});
    const budget = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
    expect(headers("GET /companies", 200)).to.deep.equal(["X-Request-Id", "Updated-Until", ...budget]);
    expect(headers("GET /companies/{company_id}", 200)).to.deep.equal(["X-Request-Id", "ETag", ...budget]);
    expect(headers("POST /companies", 201)).to.deep.equal(["X-Request-Id", "Idempotent-Replayed", ...budget]);
    expect(headers("GET /health/ready", 200)).to.deep.equal(["X-Request-Id"]);
    expect(Object.keys((made.components.responses["RateLimited"] as unknown as Answer).headers)).to.include("Retry-After");
  });

  it("list the refusals of their kind", () => {
    const refused = (route: string) =>
      Object.keys(at(route).responses)
        .filter((status) => status >= "400")
        .join(" ");
    expect(refused("GET /companies")).to.equal("400 401 403 410 422 429 503");
    expect(refused("GET /companies/{company_id}")).to.equal("401 403 404 422 429 503");
    expect(refused("POST /companies")).to.equal("401 403 409 413 415 422 429 503");
    expect(refused("DELETE /companies/{company_id}")).to.equal("401 403 404 409 412 422 429 503");
    expect(refused("PATCH /leave/years/{year}")).to.equal("401 402 403 404 409 412 413 415 422 429 503");
    expect(refused("POST /leave/years/{year}/reopen")).to.equal("401 403 404 409 422 429 503");
    expect(refused("POST /auth/login")).to.equal("400 403 413 415 422 429 503");
    expect(refused("POST /auth/logout")).to.equal("401 403 409 422 429 503");
    expect(refused("GET /health/ready")).to.equal("503");
  });

  it("show an example per code, the usual ones and those of the action", () => {
    expect(refusals("GET /companies", 400), "a list declares nothing itself").to.deep.equal(["errors.invalid_sort"]);
    expect(refusals("GET /companies", 401)).to.deep.equal(["errors.unauthorized"]);
    expect(refusals("PATCH /leave/years/{year}", 402)).to.deep.equal(["errors.license_expired", "errors.plan_inactive"]);
    expect(refusals("POST /companies", 409)).to.deep.equal([
      "errors.idempotency_conflict",
      "errors.idempotency_in_progress",
      "errors.conflict",
      "errors.companies.client_number_taken",
    ]);
    expect(refusals("PATCH /leave/years/{year}", 409)).to.deep.equal([
      "errors.idempotency_conflict",
      "errors.idempotency_in_progress",
      "errors.conflict",
    ]);
    expect(refusals("POST /leave/years/{year}/reopen", 409)).to.deep.equal([
      "errors.idempotency_conflict",
      "errors.idempotency_in_progress",
      "errors.conflict",
    ]);
    expect(at("GET /companies/{company_id}").responses["404"]?.$ref).to.equal("#/components/responses/NotFound");
    expect(refusals("GET /companies/{company_id}", 404)).to.deep.equal(["errors.not_found", "errors.unknown_host"]);
    expect(refusals("POST /auth/login", 400)).to.deep.equal(["errors.validation"]);
    const { content } = made.components.responses["Invalid"] as unknown as Answer;
    expect(content?.["application/json"]).to.deep.equal({
      schema: { $ref: "#/components/schemas/ErrorBody" },
      examples: {
        validation: {
          value: { error: { code: "validation", message: "errors.validation", fields: { name: "errors.required" } } },
        },
      },
    });
  });

  it("refuse a code that is not in the catalogue", () => {
    const odd = { ...(fixture()[0] as Declaration), errors: ["no_such_code"] };
    expect(() => documentOf([odd])).to.throw(TypeError, "'no_such_code'");
  });
});
