import { expect } from "chai";
import { errorCatalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { ERROR_PAGES } from "../../../services/api/errors/error-addresses.ts";
import { errorText } from "../../../services/api/errors/error-texts.ts";
import { errorPages } from "../../../services/api/guide/error-pages.ts";
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

  it("exist once for every code and every message, and are listed in the index", () => {
    const { status, body } = pageOf("");
    expect(status).to.equal(200);
    for (const name of new Set(built.flatMap(({ code, message }) => [code, message]))) {
      const short = name.replace(/^errors\./, "");
      expect(pageOf(short).status, short).to.equal(200);
      expect(body, short).to.contain(`href="${ERROR_PAGES}/${short}"`);
      if (short !== name)
        expect(pageOf(name), name).to.deep.equal({ status: 308, body: "", location: `${ERROR_PAGES}/${short}` });
    }
  });

  it("begin with the general meaning, then an answer, what to do, and the operations by area", () => {
    const { body } = pageOf("companies.client_number_taken");
    expect(body).to.contain('<p class="lead">Another client has this client number.</p>');
    expect(body).to.contain("&#34;message&#34;: &#34;errors.companies.client_number_taken&#34;");
    expect(body).to.contain('<a href="/api/redoc#tag/companies/operation/companiesCreate"><code>POST /companies</code></a>');
    expect(body).to.contain("Operations (1)").and.to.contain("<summary>Clients (1)</summary>");
    const order = ['class="lead"', 'id="answer"', 'id="remedy"', 'id="operations"'].map((part) => body.indexOf(part));
    expect(order).to.deep.equal(order.toSorted((one, other) => one - other));
    expect(pageOf("validation").body).to.contain(
      '<p class="lead">A field or parameter is missing, of the wrong type, or out of range.</p>',
    );
    const ids = [...pageOf("validation").body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).to.have.length(new Set(ids).size);
    expect(pageOf("conflict").body)
      .to.contain("PATCH /leave/years/{year}")
      .and.to.contain(`href="${ERROR_PAGES}/companies.client_number_taken"`);
  });

  it("break codes between their words only", () => {
    expect(pageOf("edge_no_account").body).to.contain("<h1><code>edge_<wbr>no_<wbr>account</code></h1>");
  });

  it("answer 404 to an unknown code, and escape their content", () => {
    for (const name of ["nonsense", "errors.nonsense", "<script>", "conflict/x", "__proto__"]) {
      const { status, body } = pageOf(name);
      expect(status, name).to.equal(404);
      expect(body.match(/<script[^>]*>/g)).to.deep.equal(['<script src="/api/guide/assets/guide.js">']);
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
