import { expect } from "chai";
import { browsing, foldersNamed, quoted } from "../../../integrations/workspace/drive/drive-query.ts";

describe("search queries of Google Drive (workspace §2.4)", () => {
  for (const [text, expected] of [
    ["plain", "'plain'"],
    ["", "''"],
    ["Bakker's", "'Bakker\\'s'"],
    ["C:\\temp", "'C:\\\\temp'"],
    ["\\'", "'\\\\\\''"],
    ["' or name contains '", "'\\' or name contains \\''"],
    ['"double" “quotes”', "'\"double\" “quotes”'"],
  ] as const)
    it(`quotes ${JSON.stringify(text)}`, () => expect(quoted(text)).to.equal(expected));

  it("lists a folder's contents, without the bin", () => expect(browsing("F9")).to.equal("'F9' in parents and trashed=false"));

  it("asks for names that begin a word with a term", () =>
    expect(browsing("F'9", "o'k\\")).to.equal("'F\\'9' in parents and trashed=false and name contains 'o\\'k\\\\'"));

  it("lists the folders of one name", () =>
    expect(foldersNamed("F9", "Bakker's")).to.equal(
      "'F9' in parents and trashed=false and mimeType='application/vnd.google-apps.folder' and name='Bakker\\'s'",
    ));
});
