/**
 * Short passages on twelve topics, five each, so that every passage has neighbors that share its words; and one
 * question a passage, worded as people ask: other forms of the words, some of them missing. [passage, question].
 */
export const CORPUS: readonly (readonly [string, string])[] = [
  [
    'The boiler in the cellar was serviced on 3 March. The technician replaced the ignition electrode and said the next service is due in a year.',
    'When did we last have the boiler servicing done?',
  ],
  [
    'We bled the radiators on the top floor because the bedroom stayed cold. Pressure was topped up to 1.5 bar afterwards.',
    'Which pressure did we fill up to after bleeding a radiator?',
  ],
  [
    'The new thermostat in the living room lowers the temperature to 17 degrees at night and raises it again at six in the morning.',
    'night temperature of the thermostats',
  ],
  [
    'The chimney sweep came in October, cleaned the flue and found no cracks in the lining. He left a certificate for the insurance.',
    'certificate from the chimney sweeper for our insurers',
  ],
  [
    'The heating oil tank holds 3,000 litres. The last delivery cost 98 cents a litre and filled it up completely.',
    'How many liters fit in the oil tank and what did the delivery cost?',
  ],

  [
    'Tomatoes were planted in the greenhouse in the middle of May, two rows of San Marzano and one of cherry tomatoes, with basil between them.',
    'Where did I plant the tomato seedlings?',
  ],
  [
    'Slugs ate all the lettuce seedlings in one night. Copper tape around the raised beds helped, coffee grounds did not.',
    'What works against slugs eating lettuce?',
  ],
  [
    'The apple tree was pruned in February. Cut out crossing branches and everything that grows straight up, and leave the fruiting spurs.',
    'How do I prune apple trees?',
  ],
  [
    'Compost needs a mix of green and brown material. Turn the heap every three weeks and keep it as damp as a wrung sponge.',
    'how often should the compost heap be turned',
  ],
  [
    'The hedge behind the shed is hornbeam, planted in 2011. It keeps its dry leaves until spring and has to be trimmed in late June.',
    'When to trim the hornbeam hedges?',
  ],

  [
    'The car failed its inspection because of worn brake pads at the front. The garage changed pads and discs for 420 euros.',
    'Why did our car not pass inspection?',
  ],
  [
    'Winter tires are stored in the garage on the left shelf. They have 5 millimetres of tread left and should last one more season.',
    'How much tread is left on the winter tires?',
  ],
  [
    'The insurance number of the car is on the green card in the glove compartment. Claims are reported by phone within a week.',
    'What is the phone deadline to report a car insurance claim?',
  ],
  [
    'Oil change at 92,000 kilometres with 5W-30 oil and a new filter. The next one is due at 107,000 kilometres.',
    'Which oil goes in at the next oil change?',
  ],
  [
    'The bicycle has a squeaking chain. Degrease it, dry it and put on one drop of lubricant per link, then wipe off the rest.',
    'lubricating a squeaky bike chain',
  ],

  [
    "Grandmother's bread recipe: 500 grams of rye flour, 350 millilitres of water, 100 grams of sourdough starter and ten grams of salt. Rest overnight, bake for fifty minutes.",
    "How long does grandma's sourdough bread bake?",
  ],
  [
    'For pancakes whisk two eggs with 250 millilitres of milk, fold in 150 grams of flour and a pinch of salt, and let the batter rest for half an hour.',
    'pancake batter amounts of milk and eggs',
  ],
  [
    'Anna is allergic to hazelnuts and walnuts. Almonds are fine. She carries an adrenaline pen in her handbag.',
    "Which nuts cause Anna's allergy?",
  ],
  [
    'The risotto turned out best with carnaroli rice, hot stock added ladle by ladle, and butter and parmesan stirred in at the very end.',
    'What kind of rice for risotto?',
  ],
  [
    'The pressure cooker needs eighteen minutes for chickpeas that were soaked overnight, forty without soaking.',
    'cooking time of soaked chickpeas',
  ],

  [
    'The dentist recommended a night guard because of grinding teeth. The next check-up is on 14 September at half past nine.',
    'dental appointment in September',
  ],
  [
    'Lukas was vaccinated against tetanus and diphtheria in 2021. The booster is due ten years later.',
    'When is the tetanus booster vaccination due for Lukas?',
  ],
  [
    'Blood test results: cholesterol slightly raised at 210, iron low, vitamin D normal. The doctor suggests repeating it in three months.',
    'Was my cholesterol too high in the blood tests?',
  ],
  [
    'Physiotherapy exercises for the knee: wall sits, calf raises and step-downs, three sets of twelve, every other day.',
    'exercising the knee after physiotherapist visit',
  ],
  [
    'Mum takes blood pressure tablets in the morning, ramipril five milligrams, and must not take ibuprofen with them.',
    'Which painkiller must mum avoid with her blood pressure medicine ramipril?',
  ],

  [
    'We flew to Lisbon in April and stayed in an apartment in Alfama. The tram 28 was crowded; the ferry to Cacilhas at sunset was the best part.',
    'Which ferry did we like in Lisbon?',
  ],
  [
    'The passport of Maria expires in November 2027. Renewing takes six weeks and needs a new biometric photograph.',
    "When will Maria's passport expire?",
  ],
  [
    'Packing list for the mountain hut: sleeping bag liner, headlamp, earplugs, cash, slippers and a power bank.',
    'What to pack for mountain huts?',
  ],
  [
    'The night train from Vienna to Venice leaves at 21:27. Book the sleeper car at least two months ahead, because couchettes sell out.',
    'departure time of the sleeper train to Venice',
  ],
  [
    'In Kyoto the temple gardens open at half past eight. Go to Fushimi Inari before sunrise to have the gates to yourself.',
    'best time to visit Fushimi Inari gates',
  ],

  [
    'The production database runs PostgreSQL 17 on db-primary-02. Connections go through pgbouncer on port 6432 in transaction mode.',
    'What port does pgbouncer listen on?',
  ],
  [
    'Deployments happen on Tuesdays and Thursdays after ten. The release manager tags the commit, and the pipeline rolls out to the canary first.',
    'On which days do we deploy releases?',
  ],
  [
    'The outage on Monday was caused by an expired TLS certificate on the load balancer. Renewal is automated now and alerts fire thirty days before.',
    'cause of the outage with the certificates',
  ],
  [
    'Backups are taken nightly with pg_dump and stored encrypted in a second region. A restore drill takes place every quarter.',
    'How often is restoring from backup drilled?',
  ],
  [
    'The search index is rebuilt from scratch every Sunday night. While it is being built, queries go to the old index.',
    'rebuilding the search indexes',
  ],

  [
    'function parseDuration(text) splits "1h30m" into hours and minutes and returns milliseconds; it throws a RangeError for negative values.',
    'What does parse duration throw on negative input?',
  ],
  [
    'The retryWithBackoff helper doubles its delay after each failed attempt, adds jitter and gives up after maxAttempts.',
    'retry with backoff helper jitter',
  ],
  [
    'class UserRepository wraps the users table: find_by_email is case-insensitive, delete_account marks the row and leaves a tombstone.',
    'How does the user repository delete accounts?',
  ],
  [
    'Set MAX_UPLOAD_SIZE in the environment to change the largest accepted file; the default is 64 MiB and nginx must allow it too.',
    'environment variable for the max upload size',
  ],
  [
    'The frontend uses Preact signals for state. Components read signal.value directly and must not destructure it.',
    'Can preact components destructure signals?',
  ],

  [
    'Tim and Sarah got married on 12 June in the village church. They asked for no presents, only donations to the lifeboats.',
    'When was the wedding of Tim and Sarah, did they marry in church?',
  ],
  [
    'Birthday ideas for Dad: a subscription to the sailing magazine, a better torch, or tickets for the jazz festival.',
    "gift ideas for dad's birthday",
  ],
  [
    'The neighbors at number 14 water our plants when we are away; their spare key hangs in our hallway. Their daughter is called Ines.',
    "Who waters the plants while we're on holiday?",
  ],
  [
    'Oma was born in Königsberg in 1931 and came west as a refugee in the winter of 1945, on a ship to Kiel.',
    'Where was grandma born, Konigsberg?',
  ],
  [
    'Our dog Balu is a four-year-old border collie. He is afraid of thunder and of the vacuum cleaner, and sleeps under the stairs.',
    'What is the dog scared of?',
  ],

  [
    'The mortgage has a fixed rate of 2.1 percent until 2031. Extra repayments of five percent a year are allowed without a fee.',
    'How much extra can we repay on the mortgage each year?',
  ],
  [
    'Tax return: commuting distance is 23 kilometres, home office days were 96, and the receipts for the desk are in the blue folder.',
    'Where are the receipts for my desk for the taxes?',
  ],
  [
    'The electricity contract was switched to the cooperative in January. The monthly instalment is 84 euros and the notice period four weeks.',
    'What is the notice period of the electricity contract?',
  ],
  [
    'The savings account pays interest quarterly. Transfers above five thousand need a second signature.',
    'savings account interests paid when?',
  ],
  [
    "The lease of the flat ends in August. The deposit of three months' rent is paid back after the final inspection.",
    'When do we get the rental deposit of the flat back?',
  ],

  [
    'Marie Curie discovered polonium and radium and remains the only person to receive Nobel prizes in two different sciences.',
    'Who discovered radium?',
  ],
  [
    'Honeybees tell each other where flowers are by a waggle dance, whose angle shows the direction relative to the sun.',
    'How do bees communicate the direction of flowers by dancing?',
  ],
  [
    "The Treaty of Westphalia of 1648 ended the Thirty Years' War and is often taken as the beginning of the system of sovereign states.",
    'Which treaty ended the thirty years war?',
  ],
  [
    'Photosynthesis turns carbon dioxide and water into glucose and oxygen, driven by light that chlorophyll absorbs.',
    'photosynthetic absorption of light',
  ],
  [
    'Black holes evaporate very slowly by Hawking radiation; small ones are hotter and vanish sooner than large ones.',
    'evaporation of a black hole through radiation',
  ],

  [
    'Die Waschmaschine schleudert nicht mehr. Das Flusensieb war verstopft, nach der Reinigung lief sie wieder normal.',
    'Warum hat die Waschmaschine nicht geschleudert?',
  ],
  ['Der Schlüssel für den Dachboden hängt im Sicherungskasten neben der Garderobe.', 'Wo ist der Dachbodenschlüssel?'],
  [
    "La réunion avec le notaire est reportée au 9 décembre; il faut apporter le contrat de mariage et une pièce d'identité.",
    'Quand est la reunion chez le notaire?',
  ],
  [
    'El médico recomendó caminar media hora cada día y beber más agua durante el verano.',
    '¿Qué recomienda el medico para el verano?',
  ],
  ['京都の金閣寺は1397年に足利義満によって建てられ、1955年に再建されました。', '金閣寺はいつ建てられましたか'],
];
