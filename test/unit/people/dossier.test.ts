import { expect } from "chai";
import {
  DOSSIER_CATEGORIES,
  documentNote,
  documentTitle,
  isCategory,
  MAX_DOCUMENTS,
} from "../../../services/people/dossier/dossier.ts";

describe("dossier", () => {
  it("has six categories", () => {
    expect(DOSSIER_CATEGORIES).to.deep.equal(["contract", "growth_plan", "bonus", "benefits", "cao", "other"]);
    expect(["cao", "CAO", "", "toString"].map(isCategory)).to.deep.equal([true, false, false, false]);
    expect(MAX_DOCUMENTS).to.equal(500);
  });

  it("titles are cut at 255 characters, an empty one is the file's name", () => {
    expect(documentTitle("", "contract.pdf")).to.equal("contract.pdf");
    expect(documentTitle("  ", "contract.pdf")).to.equal("contract.pdf");
    expect(documentTitle("Contract", "contract.pdf")).to.equal("Contract");
    expect([...documentTitle("😀".repeat(300), "x")]).to.have.length(255);
    expect(documentTitle("", `${"a".repeat(300)}.pdf`)).to.have.length(255);
  });

  it("notes are cut at 500 characters, an empty one is null", () => {
    expect([documentNote(""), documentNote(" \n"), documentNote("x")]).to.deep.equal([null, null, "x"]);
    expect(documentNote("a".repeat(501))).to.have.length(500);
  });
});
