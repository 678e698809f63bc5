/** What the household of the demo wrote down, by file name. */
export const NOTES: Readonly<Record<string, string>> = {
  'boiler.md':
    'The boiler was serviced on 3 March by Anna Berg. She replaced the ignition electrode and set the pressure to 1.5 bar.\nThe next service is due in a year.\n',
  'attic.md': 'The roofer comes on Monday to look at the damp spot beside the chimney.\n',
  'garden.txt':
    'The apple trees are pruned in February. The hose bib by the shed has to be emptied before the first frost.\n',
  'car.txt': 'Winter tires are stored in the cellar. The inspection is due in October.\n',
  'internet.md':
    'The router is in the hall cupboard. When the line is down, call the provider with the customer number.\n',
  'kitchen.md': 'The dishwasher leaves white stains: refill the salt, then set the hardness to 4.\n',
  'school.txt': 'The class trip is in the first week of June. The form has to be signed by the end of April.\n',
  'cellar.md': 'The boiler room has its own fuse, number 7. The shut-off valve for the water is behind the boiler.\n',
};
