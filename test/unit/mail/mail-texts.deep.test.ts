import { expect } from "chai";
import { sanitisedTemplate } from "../../../integrations/mail/sanitise.ts";
import { render } from "../../../integrations/mail/template.ts";
import { effortWithin } from "../../support/effort.ts";

describe("allowed content of a mail", () => {
  it("templates end: time, memory and size are bounded", async () => {
    const loops = [
      "{% for i in (1..100000000) %}x{% endfor %}",
      "{% for i in (1..900) %}{% for j in (1..900) %}{% for k in (1..900) %}x{% endfor %}{% endfor %}{% endfor %}",
      "{% assign a = 'xxxxxxxxxx' %}{% for i in (1..30) %}{% assign a = a | append: a %}{% endfor %}{{ a }}",
      `{% for i in (1..1000) %}${"x".repeat(400)}{% endfor %}`,
    ];
    for (const source of loops) {
      const rendering = async () => {
        const error = await render(source, "html", {}).then(
          () => null,
          (thrown: Error) => thrown,
        );
        expect(error, source.slice(0, 60)).to.be.an("error");
      };
      expect(await effortWithin(2_000, rendering)).to.be.below(2_000);
    }
  });

  it("reads a template once, however many marks are not closed", async () => {
    // Twice as much takes twice as long, and not four times: a pattern took 1.4 s for these.
    for (const mark of ["{{", "{%", "{{ {%"])
      expect(await effortWithin(500, () => sanitisedTemplate(mark.repeat(50_000))), mark).to.be.below(500);
  });
});
