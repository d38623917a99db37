import { expect } from "chai";
import { errorCatalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { ERROR_PAGES, errorPages } from "../../../services/api/openapi/error-pages.ts";
import { errorText } from "../../../services/api/openapi/error-texts.ts";
import { type Answer, documentOf, fixture } from "../../support/openapi.ts";

const SENTENCES = /^[A-Z`].*\.$/;

describe("the pages of errors", () => {
  const made = documentOf(fixture());
  const pageOf = errorPages(() => JSON.stringify(made), "Kantoor <API>");
  const built = errorCatalogue().filter((entry) => entry.built);

  it("say of every error when it occurs and what to do", () => {
    expect(built.length).to.be.greaterThan(200);
    for (const entry of built) {
      const { when, remedy } = errorText(entry);
      expect(when, entry.message).to.match(SENTENCES);
      expect(remedy, entry.message).to.match(SENTENCES);
    }
  });

  it("exist for every code and every message, and are listed in the index", () => {
    const { status, body } = pageOf("");
    expect(status).to.equal(200);
    for (const name of new Set(built.flatMap(({ code, message }) => [code, message]))) {
      expect(pageOf(name).status, name).to.equal(200);
      expect(body, name).to.contain(`href="${ERROR_PAGES}/${name}"`);
    }
  });

  it("show status, text and the operations that answer the error", () => {
    const { body } = pageOf("errors.companies.client_number_taken");
    expect(body).to.contain("<h2>409 <code>errors.companies.client_number_taken</code></h2>");
    expect(body).to.contain("Another client has this client number.");
    expect(body).to.contain('<a href="/api/redoc#tag/companies/operation/companiesCreate"><code>POST /companies</code></a>');
    expect(body).to.contain("Operations (1)");
    expect(body).to.contain('<section id="errors.companies.client_number_taken">');
    const ids = [...pageOf("validation").body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).to.include("errors.validation").and.to.have.length(new Set(ids).size);
    expect(pageOf("conflict").body)
      .to.contain("PATCH /leave/years/{year}")
      .and.to.contain("errors.companies.client_number_taken");
  });

  it("answer 404 to an unknown code, escape their content, and run no script", () => {
    for (const name of ["nonsense", "<script>", "conflict/x", "__proto__"]) {
      const { status, body } = pageOf(name);
      expect(status, name).to.equal(404);
      expect(body).to.not.contain("<script");
    }
    expect(pageOf("").body).to.contain("Kantoor &#60;API&#62;");
  });

  it("are linked from every error answer of the document", () => {
    const answers = Object.values(made.components.responses) as unknown as Answer[];
    expect(answers.length).to.be.greaterThan(10);
    for (const { description } of answers) {
      const linked = [...description.matchAll(/\]\(\/api\/docs\/errors\/([^)]*)\)/g)].map(([, name]) => name as string);
      expect(linked, description).to.have.length.above(0);
      for (const name of linked) expect(pageOf(name).status, name).to.equal(200);
    }
  });
});
