import { expect } from "chai";
import {
  DOSSIER_CATEGORIES,
  disposition,
  documentNote,
  documentTitle,
  isCategory,
  MAX_DOCUMENTS,
  MAX_UPLOAD_BYTES,
  UPLOAD_TYPES,
  uploadError,
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

  it("sends PDF and raster images inline, all else as an attachment, SVG never inline", () => {
    for (const type of ["application/pdf", "image/png", "image/jpeg", "image/webp", "image/gif", "Image/PNG; charset=binary"])
      expect(disposition(type)).to.equal("inline");
    for (const type of ["image/svg+xml", "image/x-icon", "text/plain", "text/csv", "application/zip", "text/html", ""])
      expect(disposition(type)).to.equal("attachment");
  });

  it("refuses other types and more than 10 MiB", () => {
    expect(uploadError("application/pdf", MAX_UPLOAD_BYTES)).to.equal(null);
    expect(uploadError("application/pdf", MAX_UPLOAD_BYTES + 1)).to.equal("errors.upload_too_large");
    expect(uploadError("text/html", 1)).to.equal("errors.upload_type");
    expect(uploadError("text/plain; charset=utf-8", 1)).to.equal(null);
    expect(uploadError("text/html", 9, { types: new Set(["text/html"]), max_bytes: 8 })).to.equal("errors.upload_too_large");
    expect(MAX_UPLOAD_BYTES).to.equal(10_485_760);
    expect(UPLOAD_TYPES.size).to.equal(15);
  });
});
