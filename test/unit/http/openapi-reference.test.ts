import { expect } from "chai";
import { referenceDocument } from "../../../services/api/openapi/openapi-reference.ts";

describe("referenceDocument()", () => {
  const required = { name: "kite_id", in: "path", required: true, description: "Id of the kite", example: "K-1" };

  it("takes the examples of parameters that may be left out into their descriptions, so that a reader sends none of them", () => {
    const optional = { name: "q", in: "query", description: "Words to search.", example: "red" };
    const listed = { name: "limit", in: "query", example: 50 };
    const match = { name: "If-Match", in: "header", description: "The version.", example: '"3"' };
    const get = {
      summary: "List the kites",
      parameters: [required, optional, listed, { $ref: "#/components/parameters/If-Match" }],
    };
    const given = {
      openapi: "3.1.1",
      paths: { "/kites/{kite_id}": { get, delete: { summary: "Remove a kite" } } },
      components: { schemas: { Kite: { type: "object" } }, parameters: { "If-Match": match } },
    };
    expect(referenceDocument(given)).to.deep.equal({
      ...given,
      paths: {
        "/kites/{kite_id}": {
          get: {
            ...get,
            parameters: [
              required,
              { name: "q", in: "query", description: "Words to search. Example: `red`." },
              { name: "limit", in: "query", description: "Example: `50`." },
              { $ref: "#/components/parameters/If-Match" },
            ],
          },
          delete: { summary: "Remove a kite" },
        },
      },
      components: {
        ...given.components,
        parameters: { "If-Match": { name: "If-Match", in: "header", description: 'The version. Example: `"3"`.' } },
      },
    });
  });
});
