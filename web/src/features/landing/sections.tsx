import { Comparison } from '@/features/landing/comparison'
import { Features } from '@/features/landing/features'
import { FinalCall } from '@/features/landing/final-call'
import { FirstQuestions } from '@/features/landing/first-questions'
import { Guarantee } from '@/features/landing/guarantee'
import { Plans } from '@/features/landing/plans'
import { RoadmapTeaser } from '@/features/landing/roadmap-teaser'
import { Testimonials } from '@/features/landing/testimonials'
import { TimeStory } from '@/features/landing/time-story'
import { TryIt } from '@/features/landing/try-it'
import { Why } from '@/features/landing/why'

/** All below the hero. */
export function Sections() {
  return (
    <>
      <TryIt />
      <Why />
      <TimeStory />
      <Features />
      <RoadmapTeaser />
      <Comparison />
      <Plans />
      <Guarantee />
      <Testimonials />
      <FirstQuestions />
      <FinalCall />
    </>
  )
}
