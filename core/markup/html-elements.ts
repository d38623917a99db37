/** HTML elements, including obsolete ones, and the elements of SVG and MathML that embed or animate content. */
const ELEMENTS = `a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button
  canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt element em embed
  fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img
  input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter multicol nav nextid nobr
  noembed noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb rbc rp rt rtc ruby s samp
  script search section select selectedcontent shadow slot small source spacer span strike strong style sub summary sup svg table tbody td
  template textarea tfoot th thead time title tr track tt u ul var video wbr xmp animate animatemotion animatetransform set use
  foreignobject`;

const KNOWN = new Set(ELEMENTS.split(/\s+/));
/** Elements that word processors write into saved pages. */
const OFFICE = /^(?:[moowvx]|st1|w10|dt|sdt):/i;

/** Whether a name is an element of browsers or word processors. */
export const isElement = (name: string): boolean => KNOWN.has(name.toLowerCase()) || OFFICE.test(name);
