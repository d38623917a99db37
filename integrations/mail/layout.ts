import type { Branding } from "../../core/mail/mail-sender.ts";
import { escapedHtml } from "../../core/values/text.ts";

const PLAIN_COLOR = "#1f4e79";
const HEX = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** The colour if it is a hex colour, else the default (conventions §19). */
export const brandColor = (color: string | null): string =>
  color !== null && HEX.test(color) ? color.toLowerCase() : PLAIN_COLOR;

/** The logo if it has a web address, else null. */
export function brandLogo(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** Black or white, whichever is more readable on a hex colour: by WCAG 2 relative luminance, above which black has more contrast. */
export function readableOn(color: string): "#000000" | "#ffffff" {
  const digits = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join("") : color.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

/**
 * The complete HTML of a mail around its sanitised body, with the organisation's branding.
 * @param brand display name, one line
 */
export function htmlPage(
  body: string,
  {
    brand,
    logoUrl,
    color,
    locale,
    subject,
  }: { brand: string; locale: string; subject: string } & Pick<Branding, "logoUrl" | "color">,
): string {
  const shade = brandColor(color);
  const logo = brandLogo(logoUrl);
  const head = logo
    ? `<img src="${escapedHtml(logo)}" alt="${escapedHtml(brand)}" height="40">`
    : `<strong>${escapedHtml(brand)}</strong>`;
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(subject)}</title>
<style>
a { color: ${shade}; }
a.button { display: inline-block; padding: 12px 20px; border-radius: 4px; background-color: ${shade}; color: ${readableOn(shade)}; text-decoration: none; }
</style>
</head>
<body style="margin: 0; padding: 24px 12px; background-color: #f4f4f5; color: #18181b; font-family: Arial, Helvetica, sans-serif; font-size: 16px; line-height: 1.5;">
<div style="max-width: 560px; margin: 0 auto;">
<div style="padding: 0 4px 16px; font-size: 18px;">${head}</div>
<div style="padding: 16px 28px; background-color: #ffffff; border-top: 4px solid ${shade};">
${body}
</div>
</div>
</body>
</html>
`;
}
