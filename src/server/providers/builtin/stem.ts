/** Forms that no suffix rule connects, by their base form. */
const IRREGULAR = new Map(
  `be:am,is,are,was,were,been,being have:has,had,having do:does,did,done,doing go:goes,went,gone say:said get:got,gotten
  make:made know:knew,known think:thought take:took,taken see:saw,seen come:came give:gave,given find:found tell:told
  become:became leave:left feel:felt bring:brought begin:began,begun keep:kept hold:held write:wrote,written,writing
  stand:stood hear:heard mean:meant meet:met run:ran,running pay:paid sit:sat speak:spoke,spoken lead:led grow:grew,grown
  lose:lost fall:fell,fallen send:sent build:built understand:understood draw:drew,drawn break:broke,broken spend:spent
  rise:rose,risen drive:drove,driven,driving buy:bought wear:wore,worn choose:chose,chosen eat:ate,eaten teach:taught
  catch:caught fly:flew,flown,flies sell:sold sleep:slept win:won forget:forgot,forgotten steal:stole,stolen sing:sang,sung
  swim:swam,swum throw:threw,thrown wake:woke,woken bite:bit,bitten hide:hid,hidden ride:rode,ridden shake:shook,shaken
  freeze:froze,frozen lend:lent use:used,using feed:fed dig:dug hang:hung stick:stuck strike:struck swear:swore,sworn tear:tore,torn
  child:children man:men woman:women foot:feet tooth:teeth mouse:mice goose:geese person:people knife:knives life:lives
  leaf:leaves wife:wives half:halves shelf:shelves wolf:wolves loaf:loaves good:better,best bad:worse,worst`
    .split(/\s+/)
    .flatMap((row) => {
      const [base = '', forms = ''] = row.split(':');
      return forms.split(',').map((form): [string, string] => [form, base]);
    }),
);

/** Light stemming of English, on words in lower case. Other languages lose little by it: their words end differently. */
export function stem(word: string): string {
  const base = IRREGULAR.get(word) ?? word;
  if (base.length < 4 || !/^[a-z]+$/.test(base)) return base;
  return finish(withoutDerivation(withoutInflection(withoutPlural(base))));
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}

function withoutInflection(word: string): string {
  const cut = /^(.*[aeiouy].*?)(?:ing|(?<!e)ed)$/.exec(word)?.[1];
  if (cut === undefined || cut.length < 3) return word;
  return /([bdfgmnprt])\1$/.test(cut) ? cut.slice(0, -1) : cut;
}

function withoutDerivation(word: string): string {
  if (word.length < 7) return word.length > 5 && word.endsWith('ly') ? word.slice(0, -2) : word;
  return word.replace(/ily$/, 'y').replace(/(?<=[st])ion$|ment$|ly$|(?:ful)?ness$/, '');
}

/** The endings that inflection changes: `service`, `serviced` and `servicing` end as `servic`, `boxe(s)` as `box`. */
function finish(word: string): string {
  return word.replace(/(?<=...)e$/, '').replace(/(?<=[^aeiou])y$/, 'i');
}
