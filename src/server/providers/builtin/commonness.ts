import { stem } from './stem.ts';

/**
 * Common English words, roughly by falling frequency in running text, and behind them function words of other
 * languages. A lexical vector is worth as much as its weights: `the` says nothing about a text, `boiler` a lot, and
 * a single text cannot tell which is which.
 */
const ENGLISH = `the of and to in a is that for it as was with be by on not he i this are or his from at which but have an had
they you were their one all we can her has there been if more when will would who so no she other its may these what them than
some him time into only do such my new about out also two any up first could our then most see me should after your very made
said many like how between did over must through where just even know make us much before being well those too people way good
here because each same still own now work year back think take both under never day might another come little world get go
down great found state while off against long us every used without use three years last since around during however place
again does though man life right something part always upon small old thing things number once next few different set end
important until often away put part look need want large give day find become home seem week called group several point
less give system four far hand high world almost house better order country government tell change ask going case fact
water second possible left within enough write later yet along nothing show general let turn keep mean school began early
really form line among night say side rather head course early best took both second program public whether area example
provide problem room able open head kind toward name five line began four given believe nature local per second child
young told eye word city play small company family already move live during level best result night law person less told
times night thought door face read main interest include nearly today money idea body real bring list short full help
certain half start add page free report car past book six story true making making center business service power job
question else cost market paper feel office sure clear reason research war age care plan person control voice white
white black strong quite study field human month hour minute morning evening month monday tuesday wednesday thursday friday
saturday sunday january february march april june july august september october november december late early team
friend father mother woman talk begin run happen learn leave bad usually buy pay wait call try spend sit stand lose meet
require continue allow offer remember consider appear love hope happen type example detail note date information data
user file value text message key new using based version default return true false null error function class method test`;

const OTHERS = `der die das und ist nicht ein eine einer einem einen zu den dem des mit von auf für im sich auch es an als wie bei
nach oder aus wird sind war wir sie ich er was wo wer wann le la les un une des et est dans que qui pour pas sur avec au aux du
ce se il elle nous vous ne plus par mais ou où el los las una y en es por con para del lo su al como más pero no il gli di che
è per con non della nel sono una da het een en van de dat niet op te zijn met voor o os as um uma em não com da do и в не на
что с я он по как это а но к у из за от мы вы они`;

/** Ranks count from 0. */
const RANKS = new Map<string, number>();
/** The best rank among the words of one stem: `makes` is about as common as `make`. */
const STEM_RANKS = new Map<string, number>();
for (const word of ENGLISH.split(/\s+/)) if (!RANKS.has(word)) RANKS.set(word, RANKS.size);
for (const word of OTHERS.split(/\s+/)) if (!RANKS.has(word)) RANKS.set(word, 60);
for (const [word, rank] of RANKS) if (!STEM_RANKS.has(stem(word))) STEM_RANKS.set(stem(word), rank);

/** Words that ask. In a question they carry nothing, in a document they are as good as any common word. */
const ASKING = new Set(
  'what when where who whom whose which why how was wann wer wo wie warum qui quand où quel qué cuándo dónde cómo'.split(
    ' ',
  ),
);

/** A passage of about this many words decides how common a word is: what counts is whether a passage has it at all. */
const PASSAGE_WORDS = 80;

/** Where a word that the table does not know would stand in a list of all words. */
const UNSEEN_RANK = 6000;

/**
 * How much a word tells, 0 to 1: the logarithm of how rarely a passage contains it, from Zipf's law at its rank.
 * Unknown short words are taken for more common than unknown long ones.
 */
export function informationOf(word: string, stemmed: string): number {
  const unseen = /^[a-z]{1,3}$/.test(word) ? UNSEEN_RANK / 6 : UNSEEN_RANK;
  return information(RANKS.get(word) ?? inflectedRank(stemmed) ?? unseen) / information(UNSEEN_RANK);
}

/** A form that the table does not have is less common than the one it has. */
function inflectedRank(stemmed: string): number | undefined {
  const rank = STEM_RANKS.get(stemmed);
  return rank === undefined ? undefined : rank * 2 + 50;
}

export function isAsking(word: string): boolean {
  return ASKING.has(word);
}

export function isCommon(word: string): boolean {
  return (RANKS.get(word) ?? UNSEEN_RANK) < 150;
}

function information(rank: number): number {
  const share = 0.1 / (rank + 2.7);
  return -Math.log(1 - Math.exp(-PASSAGE_WORDS * share));
}
