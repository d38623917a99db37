import { expect } from "chai";
import { GUIDE_LANGUAGES, guideNames, guideText, samplesOf } from "../../support/guides.ts";

/** Words of a guide without its samples: it is read in a few minutes. */
const MOST_WORDS = 400;

describe("the guides", () => {
  it("are ten, and each is listed in their index", () => {
    const names = guideNames();
    expect(names).to.have.length(10);
    const listed = [...guideText("README").matchAll(/^\| \[[^\]]+\]\(([\w-]+)\.md\)/gm)].map(([, name]) => name);
    expect(listed.toSorted()).to.deep.equal(names);
  });

  for (const name of ["README", ...guideNames()])
    it(`${name} shows each step in curl, TypeScript and Python`, () => {
      const samples = samplesOf(name).filter(({ language }) => GUIDE_LANGUAGES.some((one) => one === language));
      expect(samples.length).to.be.greaterThan(2);
      const languages = samples.map(({ language }) => language);
      expect(languages).to.deep.equal(languages.map((_, at) => GUIDE_LANGUAGES[at % GUIDE_LANGUAGES.length]));
    });

  for (const name of guideNames())
    it(`${name} is short and leads on`, () => {
      const prose = guideText(name).replaceAll(/^```[\s\S]*?^```$/gm, "");
      expect(prose.split(/\s+/).length).to.be.lessThan(MOST_WORDS);
      expect(prose)
        .to.match(/After the \[first lines\]\(README\.md#first-lines\)/)
        .and.to.match(/^Next: /m);
    });
});
